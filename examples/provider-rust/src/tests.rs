use ccm::{Class, Code, InstanceState};
use ccm_testing::FakeHost;

#[test]
fn a_listing() {
    let host = FakeHost::new();
    host.set_cloud_config(
        "# serial host address model row power\nA7 worker-1 192.0.2.11 r640 2 on\nB3 worker-2 192.0.2.12 r640 2 off\n",
    );
    let provider = host.create(crate::ccm_plugin_v1(), "rack").unwrap();
    let listed = provider.list_instances().unwrap().instances;
    assert_eq!((listed.len(), listed[0].provider_id.as_str(), listed[0].zone.as_str()), (2, "rack://A7", "row-2"));
    assert_eq!(listed[0].addresses[0].address, "192.0.2.11");
    assert_eq!(listed[1].state, InstanceState::Shutdown);
    host.set_cloud_config("A7 worker-1\n");
    assert_eq!(provider.list_instances().unwrap_err().class, Class::Unavailable);
}

#[test]
fn without_a_file() {
    let host = FakeHost::new();
    let provider = host.create(crate::ccm_plugin_v1(), "rack").unwrap();
    assert_eq!(provider.initialize().unwrap_err().code, Code::InvalidArgument);
}

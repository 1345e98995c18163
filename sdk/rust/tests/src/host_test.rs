//! The life of a component, and services of the host.
use crate::ccm_plugin_v1;
use ccm::*;
use ccm_testing::FakeHost;
use std::time::Duration;

#[test]
fn the_manifest_has_the_version_of_the_crate() {
    let manifest = unsafe { ccm::ffi::string((*ccm_plugin_v1()).manifest) };
    assert!(manifest.contains("\"version\": \"1.2.3\""), "{}", manifest);
}

#[test]
fn a_component_that_is_not_there_is_not_found() {
    let host = FakeHost::new();
    assert_eq!(host.create(ccm_plugin_v1(), "other").err().unwrap().code, Code::NotFound);
}

#[test]
fn a_provider_that_cannot_be_made_says_why() {
    let host = FakeHost::new();
    host.set_flag("acme-new", "fails");
    assert_eq!(host.create(ccm_plugin_v1(), "acme").err().unwrap().message, "no");
    host.set_flag("acme-new", "panics");
    assert_eq!(host.create(ccm_plugin_v1(), "acme").err().unwrap().message, "the provider panicked: new");
    assert_eq!(host.live_callbacks(), 0);
}

#[test]
fn the_traits_decide_what_is_offered() {
    let host = FakeHost::new();
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    assert!(provider.offers("ccm.provider/1") && provider.offers("ccm.cloud.instances/1"));
    assert!(provider.offers("ccm.cloud.loadbalancers/1") && !provider.offers("draft.ccm.cloud.owned/1"));
    assert!(!provider.offers("ccm.cloud.routes/1"));
    host.set_flag("acme-routes", "");
    assert!(provider.offers("ccm.cloud.routes/1"));
    // It has no such method, so the host does without.
    assert_eq!(provider.describe_instances(&[]).unwrap_err().code, Code::Unimplemented);
    let service = Service { default_name: "a1".to_string(), ..Service::default() };
    assert_eq!(provider.observe_load_balancer(&service, &[]).unwrap_err().code, Code::Unimplemented);
    assert_eq!(provider.load_balancer_name(&service).unwrap(), "a1");
    assert_eq!(provider.load_balancer_lane(&service).unwrap(), "");
    assert!(provider.has_cluster_id());
}

#[test]
fn background_work_ends_with_the_component() {
    let host = FakeHost::new();
    host.set_flag("acme-spawn", "");
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    host.advance(Duration::ZERO);
    host.advance(Duration::from_secs(60));
    host.advance(Duration::from_secs(60));
    assert_eq!(host.logs(), ["Round number=\"1\"", "Round number=\"2\"", "Round number=\"3\""]);
    drop(provider);
    assert_eq!(host.live_callbacks(), 0);
}

#[test]
fn a_change_of_the_configuration_is_passed_on() {
    let host = FakeHost::new();
    host.set_cloud_config("one");
    let _provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    assert!(host.rejected().is_empty());
    host.set_cloud_config("two");
    assert_eq!(host.rejected(), ["line 1"]);
}

#[test]
fn the_cluster_has_a_uid_of_its_own() {
    for (uid, line) in [(None, "Cluster uid=\"\""), (Some("5eed"), "Cluster uid=\"5eed\"")] {
        let host = FakeHost::new();
        host.set_flag("acme-uid", "");
        if let Some(uid) = uid {
            host.set_cluster_uid(uid);
        }
        let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
        host.serve(|_| HttpResponse { status: 200, ..HttpResponse::default() });
        provider.initialize().unwrap();
        assert_eq!(host.logs(), [line]);
        assert_eq!(host.live_objects(), 0);
    }
}

#[test]
fn a_change_of_the_leader_is_passed_on() {
    let host = FakeHost::new();
    host.set_flag("acme-leads", "");
    let _provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    host.set_leading(false);
    host.set_leading(true);
    assert_eq!(host.logs(), ["Leads now=\"false\" transitions=\"1\"", "Leads now=\"true\" transitions=\"2\""]);
}

#[test]
fn blocking_work_has_a_thread_of_the_host() {
    let host = FakeHost::new();
    host.set_flag("acme-list", "blocks");
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    assert_eq!(provider.list_instances().unwrap().instances[0].name, "worker-9");
}

#[test]
fn objects_are_read_and_given_back() {
    let host = FakeHost::new();
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    let node = NodeIdentity { name: "worker-1".to_string(), ..NodeIdentity::default() };
    assert_eq!(provider.get_instance(&node).unwrap_err().class, Class::NotFound);
    provider.set_object(r#"{"metadata": {"labels": {"topology.kubernetes.io/zone": "a", "b\u0041\"": "1"}}}"#);
    let found = provider.get_instance(&node).unwrap();
    assert_eq!((found.zone.as_str(), found.region.as_str()), ("a", "topology.kubernetes.io/zone,bA\""));
    assert_eq!(host.live_objects(), 0);
}

#[test]
fn json_is_written_whole() {
    let inner = Json::array([1, -2]);
    let json = Json::object([("a\"\n", inner), ("b", true.into()), ("c", Json::Null), ("d", "é\\".into())]);
    assert_eq!(json.to_string(), "{\"a\\\"\\u000a\":[1,-2],\"b\":true,\"c\":null,\"d\":\"é\\\\\"}");
    assert_eq!(Json::array(Vec::<Json>::new()).to_string(), "[]");
}

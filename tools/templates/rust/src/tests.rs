use ccm::{Class, Code, HttpResponse, InstanceState, Service, ServicePort};
use ccm_testing::{FakeHost, FakeProvider};
use std::time::Duration;

const URL: &str = "https://api.example.com/v1";

fn host() -> FakeHost {
    let host = FakeHost::new();
    host.set_flag("@NAME@-endpoint", URL);
    host.set_secret("@VARIABLE@_TOKEN", "s3cret");
    host
}

fn provider(host: &FakeHost) -> FakeProvider<'_> {
    host.create(crate::ccm_plugin_v1(), "@NAME@").unwrap()
}

fn expect(host: &FakeHost, method: &str, path: &str, status: u32, body: &str) {
    host.expect(method, &format!("{URL}{path}")).answer(status, body);
}

#[test]
fn the_endpoint_is_needed() {
    let host = FakeHost::new();
    assert_eq!(provider(&host).initialize().unwrap_err().code, Code::InvalidArgument);
}

#[test]
fn lists_machines() {
    let host = host();
    let machine = r#"{"id": "7", "name": "worker-1", "type": "small", "zone": "a", "address": "192.0.2.1", "running": false}"#;
    expect(&host, "GET", "/machines", 200, &format!(r#"{{"machines": [{machine}]}}"#));
    let listed = provider(&host).list_instances().unwrap().instances;
    assert_eq!((listed.len(), listed[0].provider_id.as_str()), (1, "@NAME@://7"));
    assert_eq!(listed[0].state, InstanceState::Shutdown);
    assert_eq!(host.requests()[0].headers[0].1, "Bearer s3cret");
    assert!(!host.logs().concat().contains("s3cret"));
}

#[test]
fn half_a_list_is_a_failure() {
    let host = host();
    expect(&host, "GET", "/machines", 200, "{}");
    assert!(provider(&host).list_instances().is_err());
}

#[test]
fn an_error_says_when_to_come_back() {
    let host = host();
    let headers = vec![("retry-after".to_string(), "7".to_string())];
    host.expect("GET", &format!("{URL}/machines")).respond(HttpResponse { status: 429, headers, body: Vec::new() });
    let error = provider(&host).list_instances().unwrap_err();
    assert_eq!((error.class, error.retry_after), (Class::Throttled, Duration::from_secs(7)));
}

#[test]
fn a_second_ensure_writes_nothing() {
    let host = host();
    let provider = provider(&host);
    let port = ServicePort { protocol: "TCP".into(), port: 80, node_port: 30080, ..ServicePort::default() };
    let service =
        Service { uid: "u-1".into(), cluster_name: "kubernetes".into(), ports: vec![port], ..Service::default() };
    let path = "/load-balancers/kubernetes-u-1";
    let spec = r#"{"ports":[{"protocol":"TCP","port":80,"nodePort":30080}],"machines":[]}"#;
    let made = format!(r#"{{"address":"203.0.113.1","spec":{spec}}}"#);
    expect(&host, "GET", path, 404, "");
    expect(&host, "PUT", path, 200, &made);
    expect(&host, "GET", path, 200, &made);
    let first = provider.ensure_load_balancer(&service, &[]).unwrap();
    assert_eq!(first.ingress[0].ip, "203.0.113.1");
    assert_eq!(host.requests()[1].body, spec.as_bytes());
    assert_eq!(provider.ensure_load_balancer(&service, &[]).unwrap().difference, "");
}

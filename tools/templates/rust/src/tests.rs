use ccm::{Class, Code, HttpResponse, InstanceState, LoadBalancerState, Service, ServicePort};
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
fn lists_all_pages() {
    let host = host();
    expect(&host, "GET", "/machines", 200, r#"{"machines": [{"id": "7"}], "next": "7"}"#);
    expect(&host, "GET", "/machines?after=7", 200, r#"{"machines": [{"id": "9"}]}"#);
    let listed = provider(&host).list_instances().unwrap().instances;
    assert_eq!((listed.len(), listed[1].provider_id.as_str()), (2, "@NAME@://9"));
}

#[test]
fn half_a_list_is_a_failure() {
    let host = host();
    let provider = provider(&host);
    expect(&host, "GET", "/machines", 200, "{}");
    assert!(provider.list_instances().is_err());
    expect(&host, "GET", "/machines", 200, &format!("{{\"machines\": {}{}}}", "[".repeat(65), "]".repeat(65)));
    assert!(provider.list_instances().is_err());
    expect(&host, "GET", "/machines", 200, r#"{"machines": [{"id": "7"}], "next": "7"}"#);
    expect(&host, "GET", "/machines?after=7", 404, "");
    assert!(provider.list_instances().is_err());
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
    let mut service =
        Service { uid: "u-1".into(), cluster_name: "kubernetes".into(), ports: vec![port], ..Service::default() };
    let spec = r#"{"ports":[{"protocol":"TCP","port":80,"nodePort":30080}],"machines":[],"sources":[]}"#;
    let body = format!(r#""mark":"kubernetes/u-1","spec":{spec}}}"#);
    let made = format!(r#"{{"id":"5","address":"203.0.113.1",{body}"#);
    expect(&host, "GET", "/load-balancers", 200, r#"{"loadBalancers":[]}"#);
    expect(&host, "POST", "/load-balancers", 201, &made);
    let first = provider.ensure_load_balancer(&service, &[]).unwrap();
    assert_eq!((first.id.as_str(), first.ingress[0].ip.as_str()), ("5", "203.0.113.1"));
    assert_eq!(host.requests()[1].body, format!("{{{body}").as_bytes());
    service.id = first.id;
    expect(&host, "GET", "/load-balancers/5", 200, &made);
    assert_eq!(provider.ensure_load_balancer(&service, &[]).unwrap().difference, "");
}

#[test]
fn a_recorded_id_proves_nothing() {
    let host = host();
    let provider = provider(&host);
    let service = Service { uid: "u-1".into(), id: "6".into(), ..Service::default() };
    for _ in 0..2 {
        expect(&host, "GET", "/load-balancers/6", 200, r#"{"id":"6","mark":"another/u-1"}"#);
        expect(&host, "GET", "/load-balancers", 200, r#"{"loadBalancers":[]}"#);
    }
    assert_eq!(provider.ensure_load_balancer(&service, &[]).unwrap().state, LoadBalancerState::Foreign);
    assert_eq!(provider.delete_load_balancer(&service).unwrap_err().reason, ccm::reason::NOT_OWNED);
}

//! Load balancers and routes.
use crate::{ccm_plugin_v1, URL};
use ccm::*;
use ccm_testing::FakeHost;

fn service() -> Service {
    let port = ServicePort { protocol: "TCP".to_string(), port: 80, node_port: 30080, ..ServicePort::default() };
    Service { uid: "u-1".to_string(), ports: vec![port], local_traffic: true, ..Service::default() }
}

fn backends() -> Vec<Backend> {
    vec![Backend { provider_id: "m-1".to_string(), ..Backend::default() }]
}

#[test]
fn a_load_balancer_goes_to_the_host() {
    let host = FakeHost::new();
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    host.expect("GET", &format!("{}/create/u-1", URL)).answer(200, "lb-1");
    host.expect("GET", &format!("{}/ports/80/m-1", URL)).answer(200, "203.0.113.1");
    let made = provider.ensure_load_balancer(&service(), &backends()).unwrap();
    assert_eq!((made.state, made.id.as_str()), (LoadBalancerState::Active, "lb-1"));
    assert_eq!(made.ingress[0].ip, "203.0.113.1");
    assert_eq!(made.annotations["acme/ports"], "1");
    assert_eq!((made.node_labels[0].as_str(), made.no_members.as_str()), ("pool", "no Node has the label pool"));
}

#[test]
fn ports_without_node_ports_are_named() {
    let mut of = service();
    assert!(of.need_node_ports().is_ok());
    of.ports.push(ServicePort { protocol: "UDP".to_string(), port: 443, ..ServicePort::default() });
    let error = of.need_node_ports().unwrap_err();
    assert_eq!(error.class, Class::InvalidSpec);
    assert!(error.message.contains("for 443/UDP: set spec.allocateLoadBalancerNodePorts"), "{}", error.message);
}

#[test]
fn a_failure_brings_what_was_made() {
    let host = FakeHost::new();
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    host.expect("GET", &format!("{}/create/u-1", URL)).answer(200, "lb-1");
    host.expect("GET", &format!("{}/ports/80/m-1", URL)).answer(503, "");
    let error = provider.ensure_load_balancer(&service(), &backends()).unwrap_err();
    assert_eq!(error.class, Class::Unavailable);
    assert_eq!(error.so_far.unwrap().id, "lb-1");
}

#[test]
fn what_is_not_owned_is_said_so() {
    let host = FakeHost::new();
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    let error = provider.delete_load_balancer(&service()).unwrap_err();
    assert_eq!((error.code, error.class, error.reason.as_str()), (Code::FailedPrecondition, Class::None, reason::NOT_OWNED));
}

#[test]
fn each_change_of_routes_has_an_outcome() {
    let host = FakeHost::new();
    host.set_flag("acme-routes", "");
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    let listed = provider.list_routes("kubernetes").unwrap();
    assert!(listed[0].owned && listed[0].id == "kubernetes");
    let outcomes = provider.apply_routes("kubernetes", &listed, &[Route::default(), Route::default()]).unwrap();
    assert_eq!(outcomes.len(), 3);
    assert!(outcomes[0].is_ok());
    assert_eq!(outcomes[2].as_ref().unwrap_err().class, Class::Quota);
}

//! From the host's call to the one completion.
use crate::{ccm_plugin_v1, URL};
use ccm::*;
use ccm_testing::FakeHost;
use std::time::Duration;

fn with_list(how: &str) -> FakeHost {
    let host = FakeHost::new();
    host.set_flag("acme-list", how);
    host
}

fn answers(host: &FakeHost) {
    host.expect("GET", &format!("{}/worker-1", URL)).answer(200, "192.0.2.1");
    host.expect("GET", &format!("{}/worker-2", URL)).answer(200, "192.0.2.2");
}

#[test]
fn a_result_goes_to_the_host() {
    let host = with_list("");
    host.set_secret("ACME_TOKEN", "hush");
    answers(&host);
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    let list = provider.list_instances().unwrap();
    assert_eq!(list.instances[1].provider_id, "acme://worker-2");
    assert_eq!(list.instances[1].other_ids, ["acme:///worker-2"]);
    assert_eq!(list.instances[1].addresses, [NodeAddress::internal_ip("192.0.2.2")]);
    let request = &host.requests()[0];
    assert_eq!((request.operation.as_str(), request.headers[0].1.as_str()), ("Get", "hush"));
    assert_eq!(request.replaces, "nothing");
}

#[test]
fn a_secret_may_be_long() {
    let host = with_list("");
    host.set_secret("ACME_TOKEN", &"x".repeat(2000));
    answers(&host);
    host.create(ccm_plugin_v1(), "acme").unwrap().list_instances().unwrap();
    assert_eq!(host.requests()[0].headers[0].1.len(), 2000);
}

#[test]
fn requests_are_under_way_at_once() {
    let host = with_list("");
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    host.expect("GET", &format!("{}/worker-1", URL)).hang();
    host.expect("GET", &format!("{}/worker-2", URL)).hang();
    let pending = provider.start_list_instances().unwrap();
    assert_eq!(host.requests().len(), 2);
    pending.cancel();
    assert_eq!(pending.finish().unwrap_err().code, Code::Cancelled);
}

#[test]
fn an_answer_is_classed() {
    let host = with_list("");
    let headers = vec![("retry-after".to_string(), "7".to_string())];
    host.expect("GET", URL).respond(HttpResponse { status: 429, headers, body: Vec::new() });
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    let error = provider.initialize().unwrap_err();
    assert_eq!((error.class, error.retry_after), (Class::Throttled, Duration::from_secs(7)));
    host.expect("GET", URL).answer(404, "");
    let error = provider.initialize().unwrap_err();
    assert_eq!((error.code, error.class), (Code::Unknown, Class::None));
    host.expect("GET", URL).fail(Error::unavailable("no route").with_reason("NoRoute"));
    let error = provider.initialize().unwrap_err();
    assert_eq!((error.class, error.reason.as_str(), error.message.as_str()), (Class::Unavailable, "NoRoute", "no route"));
}

#[test]
fn a_panic_is_the_failure_of_that_operation() {
    for how in ["panics at once", "panics later"] {
        let host = with_list(how);
        let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
        let error = provider.list_instances().unwrap_err();
        assert_eq!(error.code, Code::Internal);
        assert!(error.message.starts_with("the provider panicked: "), "{}", error.message);
        assert!(host.logs().iter().any(|line| line.starts_with("Panic in the plugin")));
        host.set_flag("acme-list", "");
        answers(&host);
        assert_eq!(provider.list_instances().unwrap().instances.len(), 2);
    }
}

#[test]
fn a_deadline_ends_what_waits() {
    let host = with_list("sleeps");
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    assert_eq!(provider.list_instances().unwrap_err().code, Code::DeadlineExceeded);
    host.set_flag("acme-list", "short time");
    host.expect("GET", &format!("{}/slow", URL)).hang();
    assert_eq!(provider.list_instances().unwrap_err().code, Code::DeadlineExceeded);
}

#[test]
fn one_that_ignores_its_ctx_is_given_up() {
    let host = with_list("ignores its ctx");
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    let pending = provider.start_list_instances().unwrap();
    pending.cancel();
    host.advance(Duration::from_millis(999));
    assert!(!pending.done());
    assert!(!host.logs().contains(&"Dropped".to_string()));
    assert_eq!(pending.finish().unwrap_err().code, Code::Cancelled);
    assert!(host.logs().contains(&"Dropped".to_string()));
}

#[test]
fn another_thread_may_wake_it() {
    let host = with_list("elsewhere");
    answers(&host);
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    let pending = provider.start_list_instances().unwrap();
    while !pending.done() {
        host.advance(Duration::ZERO);
        std::thread::yield_now();
    }
    assert_eq!(pending.finish().unwrap().instances.len(), 2);
}

#[test]
fn what_is_not_known_is_refused() {
    let host = with_list("");
    let provider = host.create(ccm_plugin_v1(), "acme").unwrap();
    let error = provider.list_of_the_future().unwrap_err();
    assert_eq!((error.code, error.reason.as_str()), (Code::Unimplemented, reason::UNKNOWN_REQUEST));
}

#[test]
fn a_blocking_plugin_waits_on_its_own_thread() {
    let mut plugin = unsafe { *ccm_plugin_v1() };
    plugin.manifest = ccm::ffi::borrow("{\"nonblocking\": false}");
    let host = with_list("");
    let provider = host.create(&plugin, "acme").unwrap();
    answers(&host);
    assert_eq!(provider.list_instances().unwrap().instances.len(), 2);
    for (how, code) in [("panics later", Code::Internal), ("sleeps", Code::DeadlineExceeded)] {
        host.set_flag("acme-list", how);
        assert_eq!(provider.list_instances().unwrap_err().code, code);
    }
    host.set_flag("acme-list", "ignores its ctx");
    assert_eq!(provider.list_instances().unwrap_err().code, Code::DeadlineExceeded);
}

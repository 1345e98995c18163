//! A host for `cargo test` of a provider: no process, no cluster, no sockets, no sleeping. HTTP is scripted, the clock moves
//! by itself when nothing else is left to do, and the component is driven through the C tables of the ABI, under the real
//! host's rules.
//!
//! ```ignore
//! #[test]
//! fn lists_machines() {
//!     let host = FakeHost::new();
//!     host.set_flag("acme-endpoint", "https://acme.example");
//!     host.expect("GET", "https://acme.example/machines").answer(200, "[]");
//!     let provider = host.create(crate::ccm_plugin_v1(), "acme").unwrap();
//!     assert!(provider.list_instances().unwrap().instances.is_empty());
//! }
//! ```
//!
//! The test fails at the end of the provider when it completed an operation twice, kept a callback or an object, or when
//! the plugin sent a request that nobody expected. The fake has the services log, ctx, config, timer, post, http,
//! object, worker, leader, and kube for the cluster's UID; the others are missing, as in an older host.
mod json;
mod objects;
mod provider;
mod requests;
mod results;
mod services;
mod state;

pub use provider::{FakeProvider, Pending};

use ccm::sys::*;
use ccm::{Error, HttpRequest, HttpResponse, Result};
use state::{Answer, State};
use std::os::raw::c_void;
use std::time::Duration;

/// The host. Its functions take `&self`, so that a test goes on with it while it has a provider.
pub struct FakeHost {
    state: Box<State>,
}

impl Default for FakeHost {
    fn default() -> FakeHost {
        FakeHost::new()
    }
}

impl FakeHost {
    pub fn new() -> FakeHost {
        FakeHost { state: Box::default() }
    }

    /// Makes the component of that name, as the host does it, or says why that failed.
    pub fn create(&self, plugin: *const ccm_plugin, name: &str) -> Result<FakeProvider<'_>> {
        provider::create(&self.state, plugin, name)
    }

    fn raw(state: &State, nonblocking: bool) -> ccm_host {
        ccm_host {
            abi_minor: CCM_ABI_MINOR,
            flags: if nonblocking { CCM_NONBLOCKING as u32 } else { 0 },
            self_: state as *const State as *mut c_void,
            get_interface: Some(services::get_interface),
            ..ccm_host::default()
        }
    }

    /// Gives a flag, without dashes, its value.
    pub fn set_flag(&self, name: &str, value: &str) {
        self.state.lock().flags.insert(name.to_string(), value.to_string());
    }

    /// Gives `Host::secret` what it finds.
    pub fn set_secret(&self, name: &str, value: &str) {
        self.state.lock().secrets.insert(name.to_string(), value.to_string());
    }

    /// Changes --cloud-config, and tells a provider that there is.
    pub fn set_cloud_config(&self, text: &str) {
        let mut inner = self.state.lock();
        inner.config = Some(text.to_string());
        let listeners = inner.listeners.clone();
        drop(inner);
        for listener in listeners {
            if let Some(call) = listener.fn_ {
                unsafe { call(listener.owner) };
            }
        }
    }

    /// Gives `Host::cluster_uid` what it finds; without it the manager may not read the namespace.
    pub fn set_cluster_uid(&self, uid: &str) {
        self.state.lock().cluster_uid = Some(uid.to_string());
    }

    /// Takes the Lease away, or gives it back, and tells a provider that wants to know.
    pub fn set_leading(&self, leading: bool) {
        let mut inner = self.state.lock();
        inner.standby = !leading;
        inner.transitions += 1;
        let listeners = inner.leader_listeners.clone();
        drop(inner);
        for listener in listeners {
            if let Some(call) = listener.fn_ {
                unsafe { call(listener.owner) };
            }
        }
    }

    /// The next request of that method and URL is answered as the outcome says; requests that nothing fits are for `serve`.
    pub fn expect(&self, method: &str, url: &str) -> Expectation<'_> {
        Expectation { host: self, method: method.to_string(), url: url.to_string() }
    }

    /// Answers what no expectation fits, as a server with a memory.
    pub fn serve(&self, handler: impl FnMut(&HttpRequest) -> HttpResponse + Send + 'static) {
        self.state.lock().handler = Some(Box::new(handler));
    }

    /// The requests that were sent, in their order.
    pub fn requests(&self) -> Vec<HttpRequest> {
        self.state.lock().requests.clone()
    }

    /// The lines that were logged, as "message key=\"value\"".
    pub fn logs(&self) -> Vec<String> {
        self.state.lock().logs.clone()
    }

    /// Why the provider goes on with the configuration from before; empty when it accepted it, or said nothing.
    pub fn rejected(&self) -> Vec<String> {
        self.state.lock().rejected.clone()
    }

    /// Moves the clock, and does what is due by then.
    pub fn advance(&self, by: Duration) {
        self.state.lock().now += by.as_millis() as i64;
        self.state.due();
        while !self.state.lock().events.is_empty() {
            self.state.step(Duration::ZERO);
        }
    }

    /// Callbacks that the plugin has registered and that were not dropped.
    pub fn live_callbacks(&self) -> i64 {
        self.state.callbacks.load(std::sync::atomic::Ordering::SeqCst)
    }

    /// References to objects that the plugin holds.
    pub fn live_objects(&self) -> i64 {
        self.state.objects.load(std::sync::atomic::Ordering::SeqCst)
    }
}

/// A request that `FakeHost::expect` names, to be given its answer.
#[must_use]
pub struct Expectation<'a> {
    host: &'a FakeHost,
    method: String,
    url: String,
}

impl Expectation<'_> {
    pub fn answer(self, status: u32, body: impl Into<Vec<u8>>) {
        self.respond(HttpResponse { status, headers: Vec::new(), body: body.into() });
    }

    /// With headers, whose names are lower case.
    pub fn respond(self, response: HttpResponse) {
        self.with(Answer::Outcome(Ok(response)));
    }

    /// No answer comes, and the host gives up.
    pub fn fail(self, error: Error) {
        self.with(Answer::Outcome(Err(error)));
    }

    /// No answer comes until the ctx of the request ends.
    pub fn hang(self) {
        self.with(Answer::Nothing);
    }

    fn with(self, answer: Answer) {
        self.host.state.lock().expected.push((self.method, self.url, answer));
    }
}

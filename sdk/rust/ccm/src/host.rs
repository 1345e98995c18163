//! `Host`: the handle of what the host offers to a provider. Each service has a module of its own, which uses this one.
use crate::ffi::{self, guarded, Table};
use crate::jobs::Jobs;
use crate::{Error, Result};
use ccm_sys::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// The services of the host, for one provider. Copies are the same. Any thread may use it; when the component has ended,
/// its functions fail or do nothing. A service that a host lacks does nothing, or fails with `Code::Unimplemented`.
#[derive(Clone)]
pub struct Host(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    services: Services,
    closed: AtomicBool,
    pub nonblocking: bool,
    pub jobs: Mutex<Jobs>,
    pub config: Mutex<CloudConfig>,
    pub cluster_uid: Mutex<Option<String>>,
}

/// The component's copy of --cloud-config, and who wants to know when it changes; `config` keeps it.
#[derive(Default)]
pub(crate) struct CloudConfig {
    pub text: Option<String>,
    pub listeners: Vec<Arc<dyn Fn() + Send + Sync>>,
}

pub(crate) struct Services {
    pub log: Table<ccm_host_log>,
    pub ctx: Table<ccm_host_ctx>,
    pub config: Table<ccm_host_config>,
    pub timer: Table<ccm_host_timer>,
    pub post: Table<ccm_host_post>,
    pub http: Table<ccm_host_http>,
    pub http_client: Table<ccm_host_http_client>,
    pub object: Table<ccm_host_object>,
    pub worker: Table<ccm_host_worker>,
    pub file: Table<ccm_host_file>,
    pub crypto: Table<ccm_host_crypto>,
    pub metrics: Table<ccm_host_metrics>,
    pub event: Table<ccm_host_event>,
    pub hint: Table<ccm_host_hint>,
    pub leader: Table<ccm_host_leader>,
    pub kube: Table<ccm_host_kube>,
    pub abi_minor: u32,
}

// The functions that the SDK calls from any thread are tagged [any-thread], and stay valid until `destroy`.
unsafe impl Send for Services {}
unsafe impl Sync for Services {}

/// Calls a function of a service, or gives `None` when this host lacks it or the component has ended.
macro_rules! call {
    ($host:expr, $service:ident.$function:ident($($argument:expr),*)) => {
        $host.services().and_then(|services| {
            let table = &services.$service;
            table.functions.$function.map(|function| unsafe { function(table.this $(, $argument)*) })
        })
    };
}
pub(crate) use call;

impl Host {
    /// # Safety
    /// `raw` is the handle of a component that is just being created.
    pub(crate) unsafe fn new(raw: *const ccm_host) -> Result<Host> {
        let raw = ffi::known(raw);
        let services = Services {
            log: Table::find(&raw, CCM_HOST_LOG),
            ctx: Table::find(&raw, CCM_HOST_CTX),
            config: Table::find(&raw, CCM_HOST_CONFIG),
            timer: Table::find(&raw, CCM_HOST_TIMER),
            post: Table::find(&raw, CCM_HOST_POST),
            http: Table::find(&raw, CCM_HOST_HTTP),
            http_client: Table::find(&raw, CCM_HOST_HTTP_CLIENT),
            object: Table::find(&raw, CCM_HOST_OBJECT),
            worker: Table::find(&raw, CCM_HOST_WORKER),
            file: Table::find(&raw, CCM_HOST_FILE),
            crypto: Table::find(&raw, CCM_HOST_CRYPTO),
            metrics: Table::find(&raw, CCM_HOST_METRICS),
            event: Table::find(&raw, CCM_HOST_EVENT),
            hint: Table::find(&raw, CCM_HOST_HINT),
            leader: Table::find(&raw, CCM_HOST_LEADER),
            kube: Table::find(&raw, CCM_HOST_KUBE),
            abi_minor: raw.abi_minor,
        };
        // Futures are continued by it.
        if services.post.functions.post.is_none() {
            return Err(Error::missing(CCM_HOST_POST));
        }
        Ok(Host(Arc::new(Inner {
            services,
            closed: AtomicBool::new(false),
            nonblocking: raw.flags & CCM_NONBLOCKING as u32 != 0,
            jobs: Mutex::default(),
            config: Mutex::default(),
            cluster_uid: Mutex::default(),
        })))
    }

    /// None when the component has ended.
    pub(crate) fn services(&self) -> Option<&Services> {
        if self.0.closed.load(Ordering::Acquire) {
            return None;
        }
        Some(&self.0.services)
    }

    pub(crate) fn close(&self) {
        self.0.closed.store(true, Ordering::Release);
        // They hold this host.
        let listeners = std::mem::take(&mut *self.0.config.lock().unwrap());
        let _ = guarded(|| drop(listeners));
    }
}

//! A load balancer as a value: `load_balancers` has the operations, and an `Error` may bring one.
use crate::numbers::numbers;
use ccm_sys::*;
use std::collections::BTreeMap;
use std::time::Duration;

numbers! {
    /// How it is about a load balancer.
    #[derive(Default)]
    LoadBalancerState, else Unknown {
        /// Nothing may be concluded.
        #[default]
        Unknown = CCM_LOAD_BALANCER_UNKNOWN,
        /// There certainly is none.
        Absent = CCM_LOAD_BALANCER_ABSENT,
        /// Exists or is being changed, does not serve yet.
        Pending = CCM_LOAD_BALANCER_PENDING,
        /// Serves.
        Active = CCM_LOAD_BALANCER_ACTIVE,
        /// Serves other Services too.
        Shared = CCM_LOAD_BALANCER_SHARED,
        /// Not proven to be the Service's.
        Foreign = CCM_LOAD_BALANCER_FOREIGN,
    }
}

/// A load balancer of the cloud, for a Service.
#[derive(Clone, Debug, Default)]
pub struct LoadBalancer {
    pub state: LoadBalancerState,
    /// With `Pending`: when to come back; 0 = the host's choice.
    pub retry_after: Duration,
    /// The cloud's; set it as soon as it is known.
    pub id: String,
    pub name: String,
    /// From `observe_load_balancer`: how what exists differs from what is wanted, in words. From the others: what they changed.
    pub difference: String,
    pub ingress: Vec<Ingress>,
    /// For the Service; an empty value removes one.
    pub annotations: BTreeMap<String, String>,
    /// Keys of the labels by which it chose among the backends: a change of one of them on a Node is a change of the
    /// backends.
    pub node_labels: Vec<String>,
    /// Why none of the given backends can be a member, in words; empty = some can. A load balancer that serves
    /// keeps its members then.
    pub no_members: String,
}

/// One way to reach a load balancer: `ip` or `hostname`.
#[derive(Clone, Debug, Default)]
pub struct Ingress {
    pub ip: String,
    pub hostname: String,
    /// "VIP", "Proxy"; empty = VIP.
    pub ip_mode: String,
    pub ports: Vec<IngressPort>,
}

impl Ingress {
    pub fn ip(ip: impl Into<String>) -> Ingress {
        Ingress { ip: ip.into(), ..Ingress::default() }
    }

    pub fn hostname(hostname: impl Into<String>) -> Ingress {
        Ingress { hostname: hostname.into(), ..Ingress::default() }
    }
}

/// A load balancer's word on one port.
#[derive(Clone, Debug, Default)]
pub struct IngressPort {
    pub port: i32,
    pub protocol: String,
    /// CamelCase, or "domain/Reason"; empty = none.
    pub error: String,
}

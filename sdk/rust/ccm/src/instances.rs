//! Instances, and which of them a Node is.
use crate::numbers::{milliseconds, numbers};
use crate::ffi::{self, Arena};
use crate::operation::ResultToC;
use crate::{request, Host, Object, Result};
use ccm_sys::*;
use std::collections::BTreeMap;
use std::os::raw::c_void;
use std::time::Duration;

numbers! {
    /// How it is about an instance. Only `Absent` and `Terminated` ever lead to the deletion of a Node.
    #[derive(Default)]
    InstanceState, else Unknown {
        /// The cloud did not say.
        #[default]
        Unknown = CCM_INSTANCE_UNKNOWN,
        /// Exists; also while it moves or is locked.
        Running = CCM_INSTANCE_RUNNING,
        /// Exists, but is switched off.
        Shutdown = CCM_INSTANCE_SHUTDOWN,
        /// The cloud says explicitly that it was destroyed.
        Terminated = CCM_INSTANCE_TERMINATED,
        /// A complete answer did not contain it.
        Absent = CCM_INSTANCE_ABSENT,
        /// Is still being built: no Node is initialised from it yet.
        Starting = CCM_INSTANCE_STARTING,
    }
}

/// An address of a Node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeAddress {
    /// Hostname, InternalIP, ExternalIP, InternalDNS or ExternalDNS.
    pub kind: String,
    pub address: String,
}

impl NodeAddress {
    pub fn new(kind: impl Into<String>, address: impl Into<String>) -> NodeAddress {
        NodeAddress { kind: kind.into(), address: address.into() }
    }

    pub fn internal_ip(address: impl Into<String>) -> NodeAddress {
        NodeAddress::new("InternalIP", address)
    }

    pub fn external_ip(address: impl Into<String>) -> NodeAddress {
        NodeAddress::new("ExternalIP", address)
    }

    pub fn hostname(name: impl Into<String>) -> NodeAddress {
        NodeAddress::new("Hostname", name)
    }

    pub(crate) unsafe fn from_c(raw: &ccm_node_address) -> NodeAddress {
        NodeAddress { kind: ffi::string(raw.type_), address: ffi::string(raw.address) }
    }

    pub(crate) fn list(addresses: &[NodeAddress], arena: &mut Arena) -> (*const ccm_node_address, usize) {
        let to_c = |from: &NodeAddress| ccm_node_address { type_: ffi::borrow(&from.kind), address: ffi::borrow(&from.address) };
        arena.array(addresses.iter().map(to_c).collect())
    }
}

/// An instance of the cloud.
#[derive(Clone, Debug, Default)]
pub struct Instance {
    pub state: InstanceState,
    /// Its own one, with one of the prefixes of plugin.json.
    pub provider_id: String,
    /// Equals the Node's name where the cloud keeps to that.
    pub name: String,
    pub instance_type: String,
    pub zone: String,
    pub region: String,
    /// In the order in which the Node is to show them.
    pub addresses: Vec<NodeAddress>,
    /// Further labels; those that the Node has are kept.
    pub labels: BTreeMap<String, String>,
    /// Other provider IDs under which a Node may name it.
    pub other_ids: Vec<String>,
}

impl Instance {
    fn to_c(&self, arena: &mut Arena) -> ccm_instance {
        let (addresses, address_count) = NodeAddress::list(&self.addresses, arena);
        let (labels, label_count) = arena.pairs(&self.labels);
        let (other_ids, other_id_count) = arena.texts(&self.other_ids);
        ccm_instance {
            state: self.state.number(),
            provider_id: ffi::borrow(&self.provider_id),
            name: ffi::borrow(&self.name),
            instance_type: ffi::borrow(&self.instance_type),
            zone: ffi::borrow(&self.zone),
            region: ffi::borrow(&self.region),
            addresses,
            address_count,
            labels,
            label_count,
            other_ids,
            other_id_count,
            ..ccm_instance::default()
        }
    }
}

/// A listing.
#[derive(Clone, Debug, Default)]
pub struct InstanceList {
    pub instances: Vec<Instance>,
    /// Instances whose provider ID begins with one of these, such as those of a region that did not answer, are unknown and
    /// not absent, unless they are listed; an empty prefix is all instances.
    pub unknown_prefixes: Vec<String>,
}

impl From<Vec<Instance>> for InstanceList {
    fn from(instances: Vec<Instance>) -> InstanceList {
        InstanceList { instances, unknown_prefixes: Vec::new() }
    }
}

/// Which instance is meant: by provider ID when the Node has one, else by name.
#[derive(Clone, Default)]
pub struct NodeIdentity {
    pub name: String,
    pub provider_id: String,
    pub node: Option<Object>,
}

impl NodeIdentity {
    pub(crate) unsafe fn read(host: &Host, raw: *const ccm_node_identity) -> Result<NodeIdentity> {
        let raw = request::read(raw, 0)?;
        Ok(NodeIdentity {
            name: ffi::string(raw.name),
            provider_id: ffi::string(raw.provider_id),
            node: Object::retain(host, raw.node),
        })
    }
}

/// The limits of the cloud; 0 is the host's choice, or no limit.
#[derive(Clone, Debug, Default)]
pub struct InstanceLimits {
    /// For `describe_instances` and `get_instance`.
    pub timeout: Duration,
    pub list_timeout: Duration,
    /// Nodes that one `describe_instances` takes at most.
    pub batch: i64,
    /// Operations at once.
    pub parallel: i64,
}

fn list_to_c(instances: &[Instance], unknown_prefixes: &[String], arena: &mut Arena) -> *const c_void {
    let raw = instances.iter().map(|instance| instance.to_c(arena)).collect();
    let (instances, count) = arena.pointers(raw);
    let (unknown_prefixes, unknown_prefix_count) = arena.texts(unknown_prefixes);
    let list = ccm_instance_list { instances, count, unknown_prefixes, unknown_prefix_count, ..ccm_instance_list::default() };
    arena.value(list) as *const c_void
}

impl ResultToC for InstanceList {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        list_to_c(&self.instances, &self.unknown_prefixes, arena)
    }
}

impl ResultToC for Vec<Instance> {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        list_to_c(self, &[], arena)
    }
}

impl ResultToC for Instance {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        let raw = self.to_c(arena);
        arena.value(raw) as *const c_void
    }
}

impl ResultToC for InstanceLimits {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        arena.value(ccm_instance_limits {
            timeout_ms: milliseconds(self.timeout),
            list_timeout_ms: milliseconds(self.list_timeout),
            batch: self.batch,
            parallel: self.parallel,
            ..ccm_instance_limits::default()
        }) as *const c_void
    }
}

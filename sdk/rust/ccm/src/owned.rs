//! The objects that a provider has made in the cloud.
use crate::ffi::{self, Arena};
use crate::operation::ResultToC;
use crate::{request, Result};
use ccm_sys::*;
use std::os::raw::c_void;

/// An object of the cloud that bears a mark of the provider's. Without Services and Node it is for the cluster as a whole.
#[derive(Clone, Debug, Default)]
pub struct OwnedObject {
    /// Its mark names no cluster, so it may be another one's.
    pub no_cluster: bool,
    /// Others use it, too.
    pub shared: bool,
    /// "load-balancer", "floating-ip", "route", "firewall", "security-group", or the cloud's own.
    pub kind: String,
    /// Unique among those of its kind.
    pub id: String,
    pub name: String,
    /// As its mark names it.
    pub cluster: String,
    pub address: String,
    /// "NAMESPACE/NAME" and UID; either may be empty.
    pub services: Vec<(String, String)>,
    /// The name of a route's Node; may be empty.
    pub node: String,
    pub destination_cidr: String,
}

const FLAGS: i32 = CCM_OWNED_NO_CLUSTER | CCM_OWNED_SHARED;

impl OwnedObject {
    pub(crate) unsafe fn read(raw: *const ccm_owned_object) -> Result<OwnedObject> {
        let raw = request::read(raw, FLAGS)?;
        let services = ffi::slice(raw.services, raw.service_count);
        Ok(OwnedObject {
            no_cluster: raw.flags & CCM_OWNED_NO_CLUSTER as u32 != 0,
            shared: raw.flags & CCM_OWNED_SHARED as u32 != 0,
            kind: ffi::string(raw.kind),
            id: ffi::string(raw.id),
            name: ffi::string(raw.name),
            cluster: ffi::string(raw.cluster),
            address: ffi::string(raw.address),
            services: services.iter().map(|pair| (ffi::string(pair.key), ffi::string(pair.value))).collect(),
            node: ffi::string(raw.node),
            destination_cidr: ffi::string(raw.destination_cidr),
        })
    }

    fn to_c(&self, arena: &mut Arena) -> ccm_owned_object {
        let (services, service_count) = arena.pairs(self.services.iter().map(|(name, uid)| (name, uid)));
        let no_cluster = if self.no_cluster { CCM_OWNED_NO_CLUSTER } else { 0 };
        let shared = if self.shared { CCM_OWNED_SHARED } else { 0 };
        ccm_owned_object {
            flags: (no_cluster | shared) as u32,
            kind: ffi::borrow(&self.kind),
            id: ffi::borrow(&self.id),
            name: ffi::borrow(&self.name),
            cluster: ffi::borrow(&self.cluster),
            address: ffi::borrow(&self.address),
            services,
            service_count,
            node: ffi::borrow(&self.node),
            destination_cidr: ffi::borrow(&self.destination_cidr),
            ..ccm_owned_object::default()
        }
    }
}

impl ResultToC for Vec<OwnedObject> {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        let raw = self.iter().map(|object| object.to_c(arena)).collect();
        let (objects, count) = arena.pointers(raw);
        arena.value(ccm_owned_list { objects, count, ..ccm_owned_list::default() }) as *const c_void
    }
}

//! Routes, and the cloud's limits for them.
use crate::numbers::milliseconds;
use crate::ffi::{self, Arena};
use crate::operation::ResultToC;
use crate::{request, Host, NodeAddress, Object, Result};
use ccm_sys::*;
use std::os::raw::c_void;
use std::time::Duration;

/// A route of the cloud's, or one to be added.
#[derive(Clone, Default)]
pub struct Route {
    /// The provider's own mark in the cloud says that this cluster's manager made it. Only such routes are ever removed.
    pub owned: bool,
    /// Its target does not exist any more.
    pub blackhole: bool,
    /// The cloud's name of it; empty for one to be added.
    pub id: String,
    /// For one to be added: unique for Node and CIDR, fit for names.
    pub name_hint: String,
    pub destination_cidr: String,
    /// The Node's name; empty = not known.
    pub target_node: String,
    /// For one to be added; may be empty.
    pub target_provider_id: String,
    pub target_addresses: Vec<NodeAddress>,
    /// For one to be added.
    pub node: Option<Object>,
}

/// The limits of the cloud; 0 is the host's choice, or no limit.
#[derive(Clone, Debug, Default)]
pub struct RouteLimits {
    /// Targets are addresses: a route is wrong when its Node's addresses differ.
    pub use_addresses: bool,
    /// That the table holds, foreign ones included.
    pub routes: i64,
    /// Changes that one `apply_routes` takes at most.
    pub batch: i64,
    pub timeout: Duration,
}

impl Route {
    pub(crate) unsafe fn read(host: &Host, raw: *const ccm_route) -> Result<Route> {
        let raw = request::read(raw, CCM_ROUTE_OWNED | CCM_ROUTE_BLACKHOLE)?;
        let addresses = ffi::slice(raw.target_addresses, raw.target_address_count);
        Ok(Route {
            owned: raw.flags & CCM_ROUTE_OWNED as u32 != 0,
            blackhole: raw.flags & CCM_ROUTE_BLACKHOLE as u32 != 0,
            id: ffi::string(raw.id),
            name_hint: ffi::string(raw.name_hint),
            destination_cidr: ffi::string(raw.destination_cidr),
            target_node: ffi::string(raw.target_node),
            target_provider_id: ffi::string(raw.target_provider_id),
            target_addresses: addresses.iter().map(|address| NodeAddress::from_c(address)).collect(),
            node: Object::retain(host, raw.node),
        })
    }

    fn to_c(&self, arena: &mut Arena) -> ccm_route {
        let (target_addresses, target_address_count) = NodeAddress::list(&self.target_addresses, arena);
        let owned = if self.owned { CCM_ROUTE_OWNED } else { 0 };
        let blackhole = if self.blackhole { CCM_ROUTE_BLACKHOLE } else { 0 };
        ccm_route {
            flags: (owned | blackhole) as u32,
            id: ffi::borrow(&self.id),
            name_hint: ffi::borrow(&self.name_hint),
            destination_cidr: ffi::borrow(&self.destination_cidr),
            target_node: ffi::borrow(&self.target_node),
            target_provider_id: ffi::borrow(&self.target_provider_id),
            target_addresses,
            target_address_count,
            ..ccm_route::default()
        }
    }
}

impl ResultToC for Vec<Route> {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        let raw = self.iter().map(|route| route.to_c(arena)).collect();
        let (routes, count) = arena.pointers(raw);
        arena.value(ccm_route_list { routes, count, ..ccm_route_list::default() }) as *const c_void
    }
}

impl ResultToC for Vec<Result<()>> {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        let to_c = |outcome: &Result<()>| outcome.as_ref().err().map_or_else(ccm_status::default, |error| error.to_c());
        let (statuses, count) = arena.pointers(self.iter().map(to_c).collect());
        arena.value(ccm_route_results { statuses, count, ..ccm_route_results::default() }) as *const c_void
    }
}

impl ResultToC for RouteLimits {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        arena.value(ccm_route_limits {
            flags: if self.use_addresses { CCM_ROUTES_USE_ADDRESSES as u32 } else { 0 },
            routes: self.routes,
            batch: self.batch,
            timeout_ms: milliseconds(self.timeout),
            ..ccm_route_limits::default()
        }) as *const c_void
    }
}

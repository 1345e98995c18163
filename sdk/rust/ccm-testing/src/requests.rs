//! Requests of the ABI, made of values.
use crate::json::FakeObject;
use ccm::ffi::{self, Arena};
use ccm::sys::*;
use ccm::*;

/// The object of requests, as a test gave it; a NULL for none. Released with this value.
pub struct Given(pub *const ccm_object);

impl Given {
    pub fn new(json: Option<&str>) -> Given {
        let parsed = json.map(|json| FakeObject::parse(json.as_bytes()).expect("the test's object is no JSON object"));
        Given(parsed.unwrap_or(std::ptr::null()))
    }
}

impl Drop for Given {
    fn drop(&mut self) {
        if !self.0.is_null() {
            unsafe { FakeObject::release(self.0) };
        }
    }
}

fn addresses(from: &[NodeAddress], arena: &mut Arena) -> (*const ccm_node_address, usize) {
    let to_c = |from: &NodeAddress| ccm_node_address { type_: ffi::borrow(&from.kind), address: ffi::borrow(&from.address) };
    arena.array(from.iter().map(to_c).collect())
}

pub fn identity(from: &NodeIdentity, object: *const ccm_object) -> ccm_node_identity {
    ccm_node_identity {
        name: ffi::borrow(&from.name),
        provider_id: ffi::borrow(&from.provider_id),
        node: object,
        ..ccm_node_identity::default()
    }
}

fn port(from: &ServicePort) -> ccm_service_port {
    ccm_service_port {
        name: ffi::borrow(&from.name),
        protocol: ffi::borrow(&from.protocol),
        app_protocol: ffi::borrow(&from.app_protocol),
        port: from.port,
        node_port: from.node_port,
        ..ccm_service_port::default()
    }
}

fn service(from: &Service, object: *const ccm_object, arena: &mut Arena) -> ccm_service {
    let bit = |set: bool, flag: i32| if set { flag as u32 } else { 0 };
    let (ports, port_count) = arena.pointers(from.ports.iter().map(port).collect());
    let (source_ranges, source_range_count) = arena.texts(&from.source_ranges);
    let (ip_families, ip_family_count) = arena.texts(&from.ip_families);
    let (parameters, parameter_count) = arena.pairs(&from.parameters);
    ccm_service {
        flags: bit(from.local_traffic, CCM_SERVICE_LOCAL_TRAFFIC)
            | bit(from.client_ip_affinity, CCM_SERVICE_CLIENT_IP_AFFINITY)
            | bit(from.no_node_ports, CCM_SERVICE_NO_NODE_PORTS),
        name: ffi::borrow(&from.name),
        namespace_name: ffi::borrow(&from.namespace),
        uid: ffi::borrow(&from.uid),
        cluster_name: ffi::borrow(&from.cluster_name),
        id: ffi::borrow(&from.id),
        adopt_id: ffi::borrow(&from.adopt_id),
        default_name: ffi::borrow(&from.default_name),
        class_name: ffi::borrow(&from.class_name),
        requested_ip: ffi::borrow(&from.requested_ip),
        ports,
        port_count,
        source_ranges,
        source_range_count,
        ip_families,
        ip_family_count,
        parameters,
        parameter_count,
        health_check_node_port: from.health_check_node_port,
        affinity_timeout_seconds: from.affinity_timeout.as_secs() as i32,
        object,
        ..ccm_service::default()
    }
}

pub fn load_balancer(
    of: &Service,
    backends: &[Backend],
    object: *const ccm_object,
    arena: &mut Arena,
) -> ccm_load_balancer_request {
    let raw = service(of, object, arena);
    let service = arena.value(raw);
    let mut backend = |from: &Backend| {
        let (addresses, address_count) = addresses(&from.addresses, arena);
        ccm_backend {
            name: ffi::borrow(&from.name),
            provider_id: ffi::borrow(&from.provider_id),
            addresses,
            address_count,
            ..ccm_backend::default()
        }
    };
    let raw = backends.iter().map(&mut backend).collect();
    let (backends, backend_count) = arena.pointers(raw);
    ccm_load_balancer_request { service, backends, backend_count, ..ccm_load_balancer_request::default() }
}

pub fn routes(from: &[Route], object: *const ccm_object, arena: &mut Arena) -> (*const *const ccm_route, usize) {
    let mut to_c = |from: &Route| {
        let (target_addresses, target_address_count) = addresses(&from.target_addresses, arena);
        ccm_route {
            flags: (if from.owned { CCM_ROUTE_OWNED } else { 0 } | if from.blackhole { CCM_ROUTE_BLACKHOLE } else { 0 }) as u32,
            id: ffi::borrow(&from.id),
            name_hint: ffi::borrow(&from.name_hint),
            destination_cidr: ffi::borrow(&from.destination_cidr),
            target_node: ffi::borrow(&from.target_node),
            target_provider_id: ffi::borrow(&from.target_provider_id),
            target_addresses,
            target_address_count,
            node: object,
            ..ccm_route::default()
        }
    };
    let raw = from.iter().map(&mut to_c).collect();
    arena.pointers(raw)
}

pub fn owned(from: &OwnedObject, arena: &mut Arena) -> *const ccm_owned_object {
    let (services, service_count) = arena.pairs(from.services.iter().map(|(name, uid)| (name, uid)));
    arena.value(ccm_owned_object {
        flags: (if from.no_cluster { CCM_OWNED_NO_CLUSTER } else { 0 } | if from.shared { CCM_OWNED_SHARED } else { 0 }) as u32,
        kind: ffi::borrow(&from.kind),
        id: ffi::borrow(&from.id),
        name: ffi::borrow(&from.name),
        cluster: ffi::borrow(&from.cluster),
        address: ffi::borrow(&from.address),
        services,
        service_count,
        node: ffi::borrow(&from.node),
        destination_cidr: ffi::borrow(&from.destination_cidr),
        ..ccm_owned_object::default()
    })
}

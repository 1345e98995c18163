//! Results of the ABI as values.
use ccm::ffi;
use ccm::sys::*;
use ccm::*;
use std::os::raw::c_void;
use std::time::Duration;

/// A type that an operation gives. NULL is none where the ABI wants one.
pub trait Taken: Send + Sized + 'static {
    /// # Safety
    /// `result` is what the operation's comment in the header names.
    unsafe fn take(result: *const c_void) -> Option<Self>;
}

unsafe fn read<T: Copy, To>(result: *const c_void, read: impl FnOnce(T) -> To) -> Option<To> {
    if result.is_null() {
        return None;
    }
    Some(read(ffi::known(result as *const T)))
}

fn duration(milliseconds: i64) -> Duration {
    Duration::from_millis(milliseconds.max(0) as u64)
}

impl Taken for () {
    unsafe fn take(_: *const c_void) -> Option<()> {
        Some(())
    }
}

unsafe fn addresses(list: *const ccm_node_address, count: usize) -> Vec<NodeAddress> {
    ffi::slice(list, count).iter().map(|from| NodeAddress::new(ffi::string(from.type_), ffi::string(from.address))).collect()
}

impl Taken for Instance {
    unsafe fn take(result: *const c_void) -> Option<Instance> {
        read(result, |raw: ccm_instance| Instance {
            state: InstanceState::from_number(raw.state),
            provider_id: ffi::string(raw.provider_id),
            name: ffi::string(raw.name),
            instance_type: ffi::string(raw.instance_type),
            zone: ffi::string(raw.zone),
            region: ffi::string(raw.region),
            addresses: addresses(raw.addresses, raw.address_count),
            labels: ffi::map(raw.labels, raw.label_count),
            other_ids: ffi::strings(raw.other_ids, raw.other_id_count),
        })
    }
}

impl Taken for InstanceList {
    unsafe fn take(result: *const c_void) -> Option<InstanceList> {
        read(result, |raw: ccm_instance_list| InstanceList {
            instances: all(raw.instances, raw.count),
            unknown_prefixes: ffi::strings(raw.unknown_prefixes, raw.unknown_prefix_count),
        })
    }
}

unsafe fn all<T, To: Taken>(list: *const *const T, count: usize) -> Vec<To> {
    ffi::slice(list, count).iter().filter_map(|one| To::take(*one as *const c_void)).collect()
}

impl Taken for InstanceLimits {
    unsafe fn take(result: *const c_void) -> Option<InstanceLimits> {
        read(result, |raw: ccm_instance_limits| InstanceLimits {
            timeout: duration(raw.timeout_ms),
            list_timeout: duration(raw.list_timeout_ms),
            batch: raw.batch,
            parallel: raw.parallel,
        })
    }
}

impl Taken for IngressPort {
    unsafe fn take(result: *const c_void) -> Option<IngressPort> {
        read(result, |raw: ccm_ingress_port| IngressPort {
            port: raw.port,
            protocol: ffi::string(raw.protocol),
            error: ffi::string(raw.error),
        })
    }
}

impl Taken for Ingress {
    unsafe fn take(result: *const c_void) -> Option<Ingress> {
        read(result, |raw: ccm_ingress| Ingress {
            ip: ffi::string(raw.ip),
            hostname: ffi::string(raw.hostname),
            ip_mode: ffi::string(raw.ip_mode),
            ports: all(raw.ports, raw.port_count),
        })
    }
}

impl Taken for LoadBalancer {
    unsafe fn take(result: *const c_void) -> Option<LoadBalancer> {
        read(result, |raw: ccm_load_balancer| LoadBalancer {
            state: LoadBalancerState::from_number(raw.state),
            retry_after: duration(raw.retry_after_ms),
            id: ffi::string(raw.id),
            name: ffi::string(raw.name),
            difference: ffi::string(raw.difference),
            ingress: all(raw.ingress, raw.ingress_count),
            annotations: ffi::map(raw.annotations, raw.annotation_count),
            node_labels: ffi::strings(raw.node_labels, raw.node_label_count),
            no_members: ffi::string(raw.no_members),
        })
    }
}

impl Taken for LoadBalancerLimits {
    unsafe fn take(result: *const c_void) -> Option<LoadBalancerLimits> {
        read(result, |raw: ccm_load_balancer_limits| LoadBalancerLimits {
            load_balancers: raw.load_balancers,
            backends: raw.backends,
            id_annotation: ffi::string(raw.id_annotation),
            timeout: duration(raw.timeout_ms),
            parallel: raw.parallel,
        })
    }
}

/// The result of `name`.
pub struct Name(pub String);
impl Taken for Name {
    unsafe fn take(result: *const c_void) -> Option<Name> {
        read(result, |raw: ccm_load_balancer_name| Name(ffi::string(raw.name)))
    }
}

/// The result of `lane`.
pub struct Lane(pub String);
impl Taken for Lane {
    unsafe fn take(result: *const c_void) -> Option<Lane> {
        read(result, |raw: ccm_load_balancer_lane| Lane(ffi::string(raw.lane)))
    }
}

impl Taken for Route {
    unsafe fn take(result: *const c_void) -> Option<Route> {
        read(result, |raw: ccm_route| Route {
            owned: raw.flags & CCM_ROUTE_OWNED as u32 != 0,
            blackhole: raw.flags & CCM_ROUTE_BLACKHOLE as u32 != 0,
            id: ffi::string(raw.id),
            name_hint: ffi::string(raw.name_hint),
            destination_cidr: ffi::string(raw.destination_cidr),
            target_node: ffi::string(raw.target_node),
            target_provider_id: ffi::string(raw.target_provider_id),
            target_addresses: addresses(raw.target_addresses, raw.target_address_count),
            node: None,
        })
    }
}

impl Taken for Vec<Route> {
    unsafe fn take(result: *const c_void) -> Option<Vec<Route>> {
        read(result, |raw: ccm_route_list| all(raw.routes, raw.count))
    }
}

impl Taken for Vec<Result<()>> {
    unsafe fn take(result: *const c_void) -> Option<Vec<Result<()>>> {
        let outcomes = |raw: ccm_route_results| ffi::slice(raw.statuses, raw.count).iter().map(|one| Error::check(*one)).collect();
        read(result, outcomes)
    }
}

impl Taken for RouteLimits {
    unsafe fn take(result: *const c_void) -> Option<RouteLimits> {
        read(result, |raw: ccm_route_limits| RouteLimits {
            use_addresses: raw.flags & CCM_ROUTES_USE_ADDRESSES as u32 != 0,
            routes: raw.routes,
            batch: raw.batch,
            timeout: duration(raw.timeout_ms),
        })
    }
}

impl Taken for OwnedObject {
    unsafe fn take(result: *const c_void) -> Option<OwnedObject> {
        read(result, |raw: ccm_owned_object| OwnedObject {
            no_cluster: raw.flags & CCM_OWNED_NO_CLUSTER as u32 != 0,
            shared: raw.flags & CCM_OWNED_SHARED as u32 != 0,
            kind: ffi::string(raw.kind),
            id: ffi::string(raw.id),
            name: ffi::string(raw.name),
            cluster: ffi::string(raw.cluster),
            address: ffi::string(raw.address),
            services: ffi::map(raw.services, raw.service_count).into_iter().collect(),
            node: ffi::string(raw.node),
            destination_cidr: ffi::string(raw.destination_cidr),
        })
    }
}

impl Taken for Vec<OwnedObject> {
    unsafe fn take(result: *const c_void) -> Option<Vec<OwnedObject>> {
        read(result, |raw: ccm_owned_list| all(raw.objects, raw.count))
    }
}

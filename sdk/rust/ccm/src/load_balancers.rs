//! What a provider makes a load balancer for, and of: the Service, its backends and limits.
use crate::error::Error;
use crate::ffi::{self, Arena};
use crate::load_balancer::{Ingress, IngressPort, LoadBalancer};
use crate::numbers::milliseconds;
use crate::operation::ResultToC;
use crate::{request, Host, NodeAddress, Object, Result};
use ccm_sys::*;
use std::collections::BTreeMap;
use std::os::raw::c_void;
use std::time::Duration;

/// The Service that wants a load balancer, read and validated by the controller. The fields are those of ccm_service in
/// ccm/abi/loadbalancers.h, which says more about each.
#[derive(Clone, Default)]
pub struct Service {
    pub name: String,
    pub namespace: String,
    pub uid: String,
    pub cluster_name: String,
    /// As recorded on the Service: where to look, and no proof.
    pub id: String,
    /// One that the administrator allowed to take over.
    pub adopt_id: String,
    pub default_name: String,
    pub class_name: String,
    pub requested_ip: String,
    pub ports: Vec<ServicePort>,
    /// None = everybody.
    pub source_ranges: Vec<String>,
    /// "IPv4", "IPv6".
    pub ip_families: Vec<String>,
    pub parameters: BTreeMap<String, String>,
    /// externalTrafficPolicy: Local
    pub local_traffic: bool,
    /// sessionAffinity: ClientIP
    pub client_ip_affinity: bool,
    /// allocateLoadBalancerNodePorts: false
    pub no_node_ports: bool,
    /// 0 = none.
    pub health_check_node_port: i32,
    /// 0 = the cloud's default.
    pub affinity_timeout: Duration,
    /// For annotations.
    pub object: Option<Object>,
}

impl Service {
    /// Fails, of class `InvalidSpec`, when a port has no node port (allocateLoadBalancerNodePorts: false), naming each such port
    /// and what helps: for providers whose load balancers reach the Pods by node ports.
    pub fn need_node_ports(&self) -> Result<()> {
        let without: Vec<String> = self
            .ports
            .iter()
            .filter(|port| port.node_port == 0)
            .map(|port| format!("{}/{}", port.port, port.protocol))
            .collect();
        if without.is_empty() {
            return Ok(());
        }
        let message = format!(
            "no node port, which the load balancer needs, for {}: set spec.allocateLoadBalancerNodePorts to true, or a nodePort \
             for each",
            without.join(", ")
        );
        Err(Error::invalid_spec(message).with_reason("NoNodePorts"))
    }
}

/// One port of a Service.
#[derive(Clone, Debug, Default)]
pub struct ServicePort {
    pub name: String,
    /// "TCP", "UDP", "SCTP".
    pub protocol: String,
    pub app_protocol: String,
    pub port: i32,
    /// 0 = none was allocated.
    pub node_port: i32,
}

/// A Node that takes the Service's traffic.
#[derive(Clone, Default)]
pub struct Backend {
    pub name: String,
    /// May be empty: the instance is then found by name.
    pub provider_id: String,
    pub addresses: Vec<NodeAddress>,
    /// For labels and annotations.
    pub node: Option<Object>,
}

/// The limits of the cloud; 0 is the host's choice, or no limit that is known.
#[derive(Clone, Debug, Default)]
pub struct LoadBalancerLimits {
    /// Load balancers that the account may have.
    pub load_balancers: i64,
    /// Backends that one load balancer may have.
    pub backends: i64,
    /// Where the id is recorded on the Service; empty = the host's choice.
    pub id_annotation: String,
    /// For one operation.
    pub timeout: Duration,
    /// Operations at once.
    pub parallel: i64,
}

const SERVICE_FLAGS: i32 = CCM_SERVICE_LOCAL_TRAFFIC | CCM_SERVICE_CLIENT_IP_AFFINITY | CCM_SERVICE_NO_NODE_PORTS;

unsafe fn read_service(host: &Host, raw: *const ccm_service) -> Result<Service> {
    let raw = request::read(raw, SERVICE_FLAGS)?;
    let has = |flag: i32| raw.flags & flag as u32 != 0;
    Ok(Service {
        name: ffi::string(raw.name),
        namespace: ffi::string(raw.namespace_name),
        uid: ffi::string(raw.uid),
        cluster_name: ffi::string(raw.cluster_name),
        id: ffi::string(raw.id),
        adopt_id: ffi::string(raw.adopt_id),
        default_name: ffi::string(raw.default_name),
        class_name: ffi::string(raw.class_name),
        requested_ip: ffi::string(raw.requested_ip),
        ports: request::parts(raw.ports, raw.port_count, |port| read_port(port))?,
        source_ranges: ffi::strings(raw.source_ranges, raw.source_range_count),
        ip_families: ffi::strings(raw.ip_families, raw.ip_family_count),
        parameters: ffi::map(raw.parameters, raw.parameter_count),
        local_traffic: has(CCM_SERVICE_LOCAL_TRAFFIC),
        client_ip_affinity: has(CCM_SERVICE_CLIENT_IP_AFFINITY),
        no_node_ports: has(CCM_SERVICE_NO_NODE_PORTS),
        health_check_node_port: raw.health_check_node_port,
        affinity_timeout: Duration::from_secs(raw.affinity_timeout_seconds.max(0) as u64),
        object: Object::retain(host, raw.object),
    })
}

unsafe fn read_port(raw: *const ccm_service_port) -> Result<ServicePort> {
    let raw = request::read(raw, 0)?;
    Ok(ServicePort {
        name: ffi::string(raw.name),
        protocol: ffi::string(raw.protocol),
        app_protocol: ffi::string(raw.app_protocol),
        port: raw.port,
        node_port: raw.node_port,
    })
}

unsafe fn read_backend(host: &Host, raw: *const ccm_backend) -> Result<Backend> {
    let raw = request::read(raw, 0)?;
    let addresses = ffi::slice(raw.addresses, raw.address_count);
    Ok(Backend {
        name: ffi::string(raw.name),
        provider_id: ffi::string(raw.provider_id),
        addresses: addresses.iter().map(|address| NodeAddress::from_c(address)).collect(),
        node: Object::retain(host, raw.node),
    })
}

pub(crate) unsafe fn read_request(host: &Host, raw: *const ccm_load_balancer_request) -> Result<(Service, Vec<Backend>)> {
    let raw = request::read(raw, 0)?;
    let service = read_service(host, raw.service)?;
    let backends = request::parts(raw.backends, raw.backend_count, |backend| read_backend(host, backend))?;
    Ok((service, backends))
}

impl ResultToC for LoadBalancer {
    const ALSO_WITH_A_FAILURE: bool = true;

    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        let raw = self.ingress.iter().map(|ingress| ingress.to_c(arena)).collect();
        let (ingress, ingress_count) = arena.pointers(raw);
        let (annotations, annotation_count) = arena.pairs(&self.annotations);
        let (node_labels, node_label_count) = arena.texts(&self.node_labels);
        arena.value(ccm_load_balancer {
            state: self.state.number(),
            retry_after_ms: milliseconds(self.retry_after),
            id: ffi::borrow(&self.id),
            name: ffi::borrow(&self.name),
            difference: ffi::borrow(&self.difference),
            ingress,
            ingress_count,
            annotations,
            annotation_count,
            node_labels,
            node_label_count,
            no_members: ffi::borrow(&self.no_members),
            ..ccm_load_balancer::default()
        }) as *const c_void
    }
}

impl Ingress {
    fn to_c(&self, arena: &mut Arena) -> ccm_ingress {
        let to_c = |port: &IngressPort| ccm_ingress_port {
            port: port.port,
            protocol: ffi::borrow(&port.protocol),
            error: ffi::borrow(&port.error),
            ..ccm_ingress_port::default()
        };
        let (ports, port_count) = arena.pointers(self.ports.iter().map(to_c).collect());
        ccm_ingress {
            ip: ffi::borrow(&self.ip),
            hostname: ffi::borrow(&self.hostname),
            ip_mode: ffi::borrow(&self.ip_mode),
            ports,
            port_count,
            ..ccm_ingress::default()
        }
    }
}

impl ResultToC for LoadBalancerLimits {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        arena.value(ccm_load_balancer_limits {
            load_balancers: self.load_balancers,
            backends: self.backends,
            id_annotation: ffi::borrow(&self.id_annotation),
            timeout_ms: milliseconds(self.timeout),
            parallel: self.parallel,
            ..ccm_load_balancer_limits::default()
        }) as *const c_void
    }
}

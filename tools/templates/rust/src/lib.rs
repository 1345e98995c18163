//! The provider: which machines there are, and a load balancer for each Service that wants one. The manifest says
//! "nonblocking": true, so the operations are futures on the host's loop.
mod api;
#[cfg(test)]
mod tests;

use api::{unreadable, Api};
use ccm::{
    Backend, Ctx, Error, Host, Ingress, Instance, InstanceList, InstanceState, Json, ListInstances, LoadBalancer,
    LoadBalancerState, LoadBalancers, NodeAddress, Object, Provider, Result, Service, Task, Value,
};

struct Cloud {
    api: Api,
}

impl Provider for Cloud {
    fn new(host: Host) -> Result<Cloud> {
        Ok(Cloud { api: Api { host } })
    }

    /// `invalid_config` ends the host with its message; other failures are retried.
    fn initialize(&self, ctx: Ctx) -> Task<'_, ()> {
        Box::pin(async move {
            if self.api.host.flag("@NAME@-endpoint").unwrap_or_default().is_empty() {
                return Err(Error::invalid_config("--@NAME@-endpoint is missing"));
            }
            self.list_instances(ctx).await.map(|_| ())
        })
    }
}

impl ListInstances for Cloud {
    /// Every machine, or a failure: never a part, which would look like vanished machines.
    fn list_instances(&self, ctx: Ctx) -> Task<'_, InstanceList> {
        Box::pin(async move {
            let operation = "ListMachines";
            let response = self.api.call(&ctx, operation, "GET", "/machines", None).await?;
            let response = response.ok_or_else(|| Error::unavailable("ListMachines: HTTP 404"))?;
            let answer = self.api.object(operation, &response)?;
            let machines = answer.at("/machines");
            if machines.kind() != ccm::ValueKind::Array {
                return Err(unreadable(operation, "the answer has no list of machines"));
            }
            Ok(machines.elements().into_iter().map(instance).collect::<Vec<_>>().into())
        })
    }
}

impl LoadBalancers for Cloud {
    /// Compares before it writes: a second call writes nothing.
    fn ensure_load_balancer(&self, ctx: Ctx, service: Service, backends: Vec<Backend>) -> Task<'_, LoadBalancer> {
        Box::pin(async move {
            let (id, path) = (id_of(&service), path_of(&service));
            let spec = spec_of(&service, &backends);
            let wanted = self.api.host.parse(spec.to_string());
            let mut difference = "created";
            if let Some(response) = self.api.call(&ctx, "GetLoadBalancer", "GET", &path, None).await? {
                let found = self.api.object("GetLoadBalancer", &response)?;
                if wanted.as_ref().map_or(false, |wanted| found.at("/spec") == wanted.at("")) {
                    return Ok(load_balancer(id, &found, ""));
                }
                difference = "ports or backends";
            }
            let response = self.api.call(&ctx, "PutLoadBalancer", "PUT", &path, Some(&spec)).await?;
            let response = response.ok_or_else(|| Error::unavailable("PutLoadBalancer: HTTP 404"))?;
            Ok(load_balancer(id, &self.api.object("PutLoadBalancer", &response)?, difference))
        })
    }

    /// Nothing is written for a load balancer that is not there.
    fn delete_load_balancer(&self, ctx: Ctx, service: Service) -> Task<'_, ()> {
        Box::pin(async move {
            let path = path_of(&service);
            if self.api.call(&ctx, "GetLoadBalancer", "GET", &path, None).await?.is_some() {
                self.api.call(&ctx, "DeleteLoadBalancer", "DELETE", &path, None).await?;
            }
            Ok(())
        })
    }
}

fn instance(machine: Value<'_>) -> Instance {
    let text = |pointer: &str| machine.at(pointer).text().unwrap_or_default().to_string();
    // A machine that is switched off still exists; only `Terminated` would lose its Node.
    let running = machine.at("/running").boolean().unwrap_or(true);
    Instance {
        state: if running { InstanceState::Running } else { InstanceState::Shutdown },
        provider_id: format!("@NAME@://{}", text("/id")),
        name: text("/name"),
        instance_type: text("/type"),
        zone: text("/zone"),
        addresses: vec![NodeAddress::internal_ip(text("/address"))],
        ..Instance::default()
    }
}

/// It has the Service's UID, so the load balancer can be nobody else's.
fn id_of(service: &Service) -> String {
    format!("{}-{}", service.cluster_name, service.uid)
}

fn path_of(service: &Service) -> String {
    format!("/load-balancers/{}", id_of(service))
}

fn spec_of(service: &Service, backends: &[Backend]) -> Json {
    let ports = service.ports.iter().map(|port| {
        Json::object([
            ("protocol", Json::from(&port.protocol)),
            ("port", port.port.into()),
            ("nodePort", port.node_port.into()),
        ])
    });
    let machines = backends.iter().map(|backend| &backend.provider_id);
    Json::object([("ports", Json::array(ports)), ("machines", Json::array(machines))])
}

fn load_balancer(id: String, answer: &Object, difference: &str) -> LoadBalancer {
    let address = answer.text("/address").unwrap_or_default();
    let difference = difference.to_string();
    // Without an address the cloud still works on it; the host asks again.
    if address.is_empty() {
        return LoadBalancer { id, difference, state: LoadBalancerState::Pending, ..LoadBalancer::default() };
    }
    let ingress = vec![Ingress::ip(address)];
    LoadBalancer { id, difference, state: LoadBalancerState::Active, ingress, ..LoadBalancer::default() }
}

ccm::plugin!("@NAME@" => Cloud);

//! The provider: which machines there are, and a load balancer for each Service that wants one. The manifest says
//! "nonblocking": true, so the operations are futures on the host's loop.
mod api;
#[cfg(test)]
mod tests;

use api::{unreadable, Api};
use ccm::{
    percent_encode, Backend, Ctx, Error, Host, Ingress, Instance, InstanceList, InstanceState, Json, ListInstances, LoadBalancer,
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
    /// Every machine on all pages, or a failure: never a part, which would look like vanished machines. A cloud whose pages
    /// have numbers moves machines from one to another meanwhile: see `ccm::list_steadily`.
    fn list_instances(&self, ctx: Ctx) -> Task<'_, InstanceList> {
        Box::pin(async move {
            let mut machines = Vec::new();
            let mut next = Some("/machines".to_string());
            while let Some(path) = next {
                let page = self.page(&ctx, "ListMachines", &path, "/machines").await?;
                machines.extend(page.at("/machines").elements().into_iter().map(instance));
                next = next_page("/machines", &page);
            }
            Ok(machines.into())
        })
    }
}

impl LoadBalancers for Cloud {
    /// Compares before it writes: a second call writes nothing.
    fn ensure_load_balancer(&self, ctx: Ctx, service: Service, backends: Vec<Backend>) -> Task<'_, LoadBalancer> {
        Box::pin(async move {
            let body = body_of(&service, &backends);
            let wanted = self.api.object("", body.to_string().as_bytes())?;
            let (method, path, difference) = match self.find(&ctx, &service, &wanted).await? {
                Search::Own(own) if own.as_wanted => return Ok(result_of(own, "")),
                Search::Own(own) => ("PUT", path_of(&own.id), "ports or backends"),
                _ if !service.adopt_id.is_empty() => ("PUT", path_of(&service.adopt_id), "taken over"),
                Search::Foreign => return Ok(LoadBalancer { state: LoadBalancerState::Foreign, ..LoadBalancer::default() }),
                Search::Nothing => ("POST", "/load-balancers".to_string(), "created"),
            };
            let response = self.api.call(&ctx, "WriteLoadBalancer", method, &path, Some(&body)).await?;
            let response = response.ok_or_else(|| Error::unavailable("WriteLoadBalancer: HTTP 404"))?;
            let made = self.api.object("WriteLoadBalancer", &response.body)?;
            Ok(result_of(balancer(made.at(""), &wanted), difference))
        })
    }

    /// Nothing is written for a load balancer that is not there, or somebody else's.
    fn delete_load_balancer(&self, ctx: Ctx, service: Service) -> Task<'_, ()> {
        Box::pin(async move {
            let wanted = self.api.object("", body_of(&service, &[]).to_string().as_bytes())?;
            match self.find(&ctx, &service, &wanted).await? {
                Search::Own(own) => self.api.call(&ctx, "DeleteLoadBalancer", "DELETE", &path_of(&own.id), None).await.map(|_| ()),
                Search::Foreign => Err(Error::not_owned(format!("load balancer {} is somebody else's", service.id))),
                Search::Nothing => Ok(()),
            }
        })
    }
}

struct Balancer {
    id: String,
    mark: String,
    address: String,
    as_wanted: bool,
}

enum Search {
    /// With this Service's mark.
    Own(Balancer),
    /// The recorded id leads to one without it, and none bears it.
    Foreign,
    Nothing,
}

impl Cloud {
    /// By the recorded id, which proves nothing and says where to look, and then by the mark. A list that cannot be read is a
    /// failure, and no absence.
    async fn find(&self, ctx: &Ctx, service: &Service, wanted: &Object) -> Result<Search> {
        let mark = mark_of(service);
        let mut otherwise = Search::Nothing;
        if !service.id.is_empty() {
            if let Some(response) = self.api.call(ctx, "GetLoadBalancer", "GET", &path_of(&service.id), None).await? {
                let found = self.api.object("GetLoadBalancer", &response.body)?;
                let one = balancer(found.at(""), wanted);
                if one.mark == mark {
                    return Ok(Search::Own(one));
                }
                otherwise = Search::Foreign;
            }
        }
        let mut next = Some("/load-balancers".to_string());
        while let Some(path) = next {
            let page = self.page(ctx, "ListLoadBalancers", &path, "/loadBalancers").await?;
            let mut all = page.at("/loadBalancers").elements().into_iter().map(|each| balancer(each, wanted));
            if let Some(own) = all.find(|each| each.mark == mark) {
                return Ok(Search::Own(own));
            }
            next = next_page("/load-balancers", &page);
        }
        Ok(otherwise)
    }

    async fn page(&self, ctx: &Ctx, operation: &str, path: &str, list: &str) -> Result<Object> {
        let response = self.api.call(ctx, operation, "GET", path, None).await?;
        let response = response.ok_or_else(|| Error::unavailable(format!("{operation}: HTTP 404")))?;
        let page = self.api.object(operation, &response.body)?;
        if page.at(list).kind() != ccm::ValueKind::Array {
            return Err(unreadable(operation, "the answer has no list"));
        }
        Ok(page)
    }
}

fn next_page(path: &str, page: &Object) -> Option<String> {
    page.text("/next").map(|next| format!("{path}?after={}", percent_encode(next)))
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

fn balancer(value: Value<'_>, wanted: &Object) -> Balancer {
    let text = |pointer: &str| value.at(pointer).text().unwrap_or_default().to_string();
    Balancer {
        id: text("/id"),
        mark: text("/mark"),
        address: text("/address"),
        as_wanted: value.at("/spec") == wanted.at("/spec"),
    }
}

/// It has the Service's UID, so the load balancer can be nobody else's.
fn mark_of(service: &Service) -> String {
    format!("{}/{}", service.cluster_name, service.uid)
}

fn path_of(id: &str) -> String {
    format!("/load-balancers/{}", percent_encode(id))
}

fn body_of(service: &Service, backends: &[Backend]) -> Json {
    let ports = service.ports.iter().map(|port| {
        Json::object([
            ("protocol", Json::from(&port.protocol)),
            ("port", port.port.into()),
            ("nodePort", port.node_port.into()),
        ])
    });
    let machines = backends.iter().map(|backend| &backend.provider_id);
    // Who may come in; none: everybody. A cloud that cannot keep others out refuses them: Error::invalid_spec.
    let sources = Json::array(&service.source_ranges);
    let spec = Json::object([("ports", Json::array(ports)), ("machines", Json::array(machines)), ("sources", sources)]);
    Json::object([("mark", Json::from(&mark_of(service))), ("spec", spec)])
}

fn result_of(found: Balancer, difference: &str) -> LoadBalancer {
    let (id, difference) = (found.id, difference.to_string());
    // Without an address the cloud still works on it; the host asks again.
    if found.address.is_empty() {
        return LoadBalancer { id, difference, state: LoadBalancerState::Pending, ..LoadBalancer::default() };
    }
    let ingress = vec![Ingress::ip(found.address)];
    LoadBalancer { id, difference, state: LoadBalancerState::Active, ingress, ..LoadBalancer::default() }
}

ccm::plugin!("@NAME@" => Cloud);

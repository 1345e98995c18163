//! A provider that does what its flag "acme-list" says, and tests of the SDK that drive it.
#[cfg(test)]
mod host_test;
#[cfg(test)]
mod load_balancers_test;
#[cfg(test)]
mod operations_test;

use ccm::*;
use std::future::{pending, Future};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

const URL: &str = "https://acme.example";

struct Acme {
    host: Host,
}

impl Provider for Acme {
    fn new(host: Host) -> Result<Acme> {
        match host.flag("acme-new").as_deref() {
            Some("fails") => return Err(Error::invalid_config("no")),
            Some("panics") => panic!("new"),
            _ => {}
        }
        let own = host.clone();
        host.on_config_change(move || own.config_rejected("", "line 1"));
        if host.flag("acme-leads").is_some() {
            let own = host.clone();
            host.on_leading_change(move || {
                own.log(Level::Info, "Leads", &[("now", &own.leading()), ("transitions", &own.lease_transitions())]);
            });
        }
        if host.flag("acme-spawn").is_some() {
            let (own, ctx) = (host.clone(), host.background());
            host.spawn(async move {
                for round in 1.. {
                    own.log(Level::Info, "Round", &[("number", &round)]);
                    let _ = own.sleep(&ctx, Duration::from_secs(60)).await;
                }
            });
        }
        Ok(Acme { host })
    }

    fn initialize(&self, ctx: Ctx) -> Task<'_, ()> {
        Box::pin(async move {
            if self.host.flag("acme-uid").is_some() {
                self.host.log(Level::Info, "Cluster", &[("uid", &self.host.cluster_uid(&ctx).await?)]);
            }
            self.host.http(&ctx, HttpRequest::new("GET", URL)).await?.check("LogIn").map(|_| ())
        })
    }

    fn offers(&self, id: &str) -> bool {
        id != "ccm.cloud.routes/1" || self.host.flag("acme-routes").is_some()
    }
}

impl Acme {
    /// The text of an answer that is no JSON.
    async fn get(&self, ctx: &Ctx, path: &str) -> Result<String> {
        let token = self.host.secret("ACME_TOKEN").unwrap_or_default();
        let mut request = HttpRequest::new("GET", format!("{}{}", URL, path)).operation("Get").header("authorization", token);
        request.replaces = "nothing".into();
        let answer = self.host.http(ctx, request).await?.check("Get")?;
        Ok(String::from_utf8_lossy(&answer.body).into_owned())
    }

    async fn instance(&self, ctx: &Ctx, name: &str) -> Result<Instance> {
        let address = self.get(ctx, &format!("/{}", name)).await?;
        Ok(Instance {
            state: InstanceState::Running,
            provider_id: format!("acme://{}", name),
            other_ids: vec![format!("acme:///{}", name)],
            name: name.into(),
            addresses: vec![NodeAddress::internal_ip(address)],
            ..Instance::default()
        })
    }
}

/// Something that another thread does.
struct Elsewhere(Arc<Mutex<(bool, Option<Waker>)>>);

impl Elsewhere {
    fn begin() -> Elsewhere {
        let state: Arc<Mutex<(bool, Option<Waker>)>> = Arc::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(5));
            let waker = {
                let mut state = shared.lock().unwrap();
                state.0 = true;
                state.1.take()
            };
            waker.into_iter().for_each(Waker::wake);
        });
        Elsewhere(state)
    }
}

impl Future for Elsewhere {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut state = self.0.lock().unwrap();
        state.1 = Some(context.waker().clone());
        if state.0 { Poll::Ready(()) } else { Poll::Pending }
    }
}

/// Its end is seen in the log.
struct Guard(Host);
impl Drop for Guard {
    fn drop(&mut self) {
        self.0.log(Level::Info, "Dropped", &[]);
    }
}

impl ListInstances for Acme {
    fn list_instances(&self, ctx: Ctx) -> Task<'_, InstanceList> {
        let how = self.host.flag("acme-list").unwrap_or_default();
        if how == "panics at once" {
            panic!("at once");
        }
        Box::pin(async move {
            let _guard = Guard(self.host.clone());
            match how.as_str() {
                "panics later" => {
                    self.host.sleep(&ctx, Duration::from_millis(1)).await?;
                    panic!("later");
                }
                "ignores its ctx" => pending().await,
                "sleeps" => self.host.sleep(&ctx, Duration::from_secs(3600)).await?,
                "elsewhere" => Elsewhere::begin().await,
                "short time" => {
                    let short = ctx.with_timeout(Duration::from_secs(2));
                    self.get(&short, "/slow").await?;
                }
                "blocks" => {
                    let name = self.host.run_blocking(&ctx, || "worker-9".to_string()).await?;
                    return Ok(vec![Instance { name, ..Instance::default() }].into());
                }
                _ => {}
            }
            let all = join_all(["worker-1", "worker-2"].iter().map(|name| self.instance(&ctx, name))).await;
            Ok(all.into_iter().collect::<Result<Vec<_>>>()?.into())
        })
    }
}

impl GetInstance for Acme {
    fn get_instance(&self, _: Ctx, node: NodeIdentity) -> Task<'_, Instance> {
        Box::pin(async move {
            let object = node.node.ok_or_else(|| Error::not_found("no object"))?;
            let labels = object.at("/metadata/labels");
            let zone = labels.at("/topology.kubernetes.io~1zone").text().unwrap_or("none").to_string();
            let region = labels.members().into_iter().map(|(name, _)| name).collect::<Vec<_>>().join(",");
            Ok(Instance { name: node.name, zone, region, ..Instance::default() })
        })
    }
}

impl LoadBalancers for Acme {
    fn ensure_load_balancer(&self, ctx: Ctx, service: Service, backends: Vec<Backend>) -> Task<'_, LoadBalancer> {
        Box::pin(async move {
            let id = self.get(&ctx, &format!("/create/{}", service.uid)).await?;
            let mut made = LoadBalancer { id, state: LoadBalancerState::Pending, ..LoadBalancer::default() };
            let path = format!("/ports/{}/{}", service.ports[0].port, backends[0].provider_id);
            match self.get(&ctx, &path).await {
                Ok(address) => {
                    made.ingress.push(Ingress::ip(address));
                    made.annotations.insert("acme/ports".into(), service.ports.len().to_string());
                    made.node_labels.push("pool".into());
                    made.no_members = "no Node has the label pool".into();
                    made.state = LoadBalancerState::Active;
                    Ok(made)
                }
                Err(error) => Err(error.with_load_balancer(made)),
            }
        })
    }

    fn delete_load_balancer(&self, _: Ctx, _: Service) -> Task<'_, ()> {
        Box::pin(async { Err(Error::not_owned("not ours")) })
    }
}

impl Routes for Acme {
    fn list_routes(&self, _: Ctx, cluster_name: String) -> Task<'_, Vec<Route>> {
        Box::pin(async move { Ok(vec![Route { owned: true, id: cluster_name, ..Route::default() }]) })
    }

    fn apply_routes(&self, _: Ctx, _: String, remove: Vec<Route>, add: Vec<Route>) -> Task<'_, Vec<Result<()>>> {
        Box::pin(async move {
            let full = || Error::new(Code::ResourceExhausted, Class::Quota, "full");
            let removed = remove.iter().map(|_| Ok(()));
            Ok(removed.chain(add.iter().map(|_| Err(full()))).collect())
        })
    }
}

ccm::plugin!("acme" => Acme);

//! The traits that a provider may implement.
use crate::{
    Backend, Ctx, Host, Instance, InstanceLimits, InstanceList, LoadBalancer, LoadBalancerLimits, NodeIdentity, OwnedObject,
    Result, Route, RouteLimits, Service, Task,
};

/// The provider itself. Its operations are futures: between two `await`s they must take less than 10 ms when the manifest
/// says "nonblocking": true, and may block when it does not. The other traits say what the cloud can do, and
/// `plugin!` sees which of them the type has: one of `ListInstances`, `DescribeInstances` and `GetInstance`, and those that
/// plugin.json names.
pub trait Provider: Sized + Send + Sync + 'static {
    /// Makes it. Must not block: a log-in belongs into `initialize`. A failure ends the host with its message. Dropping the
    /// provider is the last that happens to it; logging is all of the host that it may use then.
    fn new(host: Host) -> Result<Self>;

    /// Reads the configuration and logs in; writes nothing to the cloud. It comes first, also on a standby, and is repeated
    /// with back-off until it succeeds; `Error::invalid_config` ends the host instead.
    fn initialize(&self, _ctx: Ctx) -> Task<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    /// Whether resources carry the cluster's id; without one --allow-untagged-cloud is needed.
    fn has_cluster_id(&self) -> bool {
        true
    }

    /// Asked after `initialize`, for the id of each interface that the type has ("ccm.cloud.routes/1", as in plugin.json):
    /// whether this cloud has it.
    fn offers(&self, _id: &str) -> bool {
        true
    }

    /// The limits of the operations on instances.
    fn instance_limits(&self, _ctx: Ctx) -> Task<'_, InstanceLimits> {
        Box::pin(async { Ok(InstanceLimits::default()) })
    }

    /// Logs out, in 5 s at most: the last operation, when all controllers are gone. The Lease was given back by then: a
    /// request other than a GET is refused, unless it is `read_only`, which is right for a log-out.
    fn shutdown(&self, _ctx: Ctx) -> Task<'_, ()> {
        Box::pin(async { Ok(()) })
    }
}

/// Every instance of the cluster's account, project or region: all pages, or an error. Half a list would look like vanished
/// instances.
pub trait ListInstances: Provider {
    fn list_instances(&self, ctx: Ctx) -> Task<'_, InstanceList>;
}

/// The instances of these Nodes, in one call to the cloud where that can be: element i is for nodes[i], with state Absent or
/// Unknown where there is none.
pub trait DescribeInstances: Provider {
    fn describe_instances(&self, ctx: Ctx, nodes: Vec<NodeIdentity>) -> Task<'_, Vec<Instance>>;
}

/// One instance, or `Error::not_found` when it certainly does not exist.
pub trait GetInstance: Provider {
    fn get_instance(&self, ctx: Ctx, node: NodeIdentity) -> Task<'_, Instance>;
}

/// Load balancers for Services; docs/provider-authors.md has the rules.
pub trait LoadBalancers: Provider {
    /// Makes it be what the Service asks for, writing only a difference, and never waits for the cloud: meanwhile the state
    /// is `Pending`. One that fails half-way hands over what it made: `error.with_load_balancer(so_far)`. When `service.id`
    /// leads to one without our mark, and none bears it, the state is `Foreign`, without id, and nothing is created.
    fn ensure_load_balancer(&self, ctx: Ctx, service: Service, backends: Vec<Backend>) -> Task<'_, LoadBalancer>;

    /// A success when nothing is left, and `Error::not_owned` when only a foreign one is.
    fn delete_load_balancer(&self, ctx: Ctx, service: Service) -> Task<'_, ()>;

    /// The name that a load balancer has or would get, without a call to the cloud.
    fn load_balancer_name(&self, _ctx: Ctx, service: Service) -> Task<'_, String> {
        Box::pin(async { Ok(service.default_name) })
    }

    /// Operations with the same text run one at a time; empty is the Service's own. Without a call to the cloud.
    fn load_balancer_lane(&self, _ctx: Ctx, _service: Service) -> Task<'_, String> {
        Box::pin(async { Ok(String::new()) })
    }

    fn load_balancer_limits(&self, _ctx: Ctx) -> Task<'_, LoadBalancerLimits> {
        Box::pin(async { Ok(LoadBalancerLimits::default()) })
    }
}

/// The load balancer that there is, and how it differs from what `ensure_load_balancer` would make; writes nothing. It makes
/// restarts and audits cheap: without it the host calls `ensure_load_balancer` instead.
pub trait ObserveLoadBalancer: LoadBalancers {
    fn observe_load_balancer(&self, ctx: Ctx, service: Service, backends: Vec<Backend>) -> Task<'_, LoadBalancer>;
}

/// Changes only the backends of a load balancer that exists.
pub trait UpdateLoadBalancer: LoadBalancers {
    fn update_load_balancer(&self, ctx: Ctx, service: Service, backends: Vec<Backend>) -> Task<'_, LoadBalancer>;
}

/// Routes of the cloud's network that lead pod CIDRs to Nodes.
pub trait Routes: Provider {
    /// Every route of the cluster's table, foreign ones included, or a failure.
    fn list_routes(&self, ctx: Ctx, cluster_name: String) -> Task<'_, Vec<Route>>;

    /// Removes, then adds, and answers for each change, removals first. It fails itself only when nothing is known of the
    /// outcome. To remove a route that is gone, and to add one that exists, are successes.
    fn apply_routes(&self, ctx: Ctx, cluster_name: String, remove: Vec<Route>, add: Vec<Route>) -> Task<'_, Vec<Result<()>>>;

    fn route_limits(&self, _ctx: Ctx) -> Task<'_, RouteLimits> {
        Box::pin(async { Ok(RouteLimits::default()) })
    }
}

/// The names of a cluster in marks.
#[derive(Clone, Debug, Default)]
pub struct ClusterNames {
    pub names: Vec<String>,
    /// By the user: the provider's configuration does not count.
    pub given: bool,
    /// For a removal: the user named the object itself, so its mark need not name the cluster.
    pub confirmed: bool,
}

/// The objects that the provider has made, found by its marks, for `ccmctl orphans`, `cleanup` and `doctor`. The
/// interface's id is a draft.
pub trait OwnedObjects: Provider {
    /// Whole, or a failure; writes nothing.
    fn list_owned(&self, ctx: Ctx, cluster: ClusterNames) -> Task<'_, Vec<OwnedObject>>;

    /// Reads the marks again, and leaves alone what is not the cluster's (`Error::not_owned`). One that is gone is a success.
    fn remove_owned(&self, ctx: Ctx, cluster: ClusterNames, object: OwnedObject) -> Task<'_, ()>;
}

//! The functions of the tables: each reads its request, and calls the trait of `provider` that has the operation.
use crate::ffi::{self, Arena};
use crate::operation::{operate, ResultToC};
use crate::provider::*;
use crate::{load_balancers, request, Host, NodeIdentity, OwnedObject, Route};
use ccm_sys::*;
use std::os::raw::c_void;

pub unsafe extern "C" fn list_instances<P: ListInstances>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_list_instances_request,
    done: ccm_completion,
) {
    let read = |_: &Host| request::read(raw, 0).map(|_| ());
    operate(this, ctx, done, read, |provider: &P, ctx, ()| provider.list_instances(ctx));
}

pub unsafe extern "C" fn describe_instances<P: DescribeInstances>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_describe_instances_request,
    done: ccm_completion,
) {
    let read = |host: &Host| {
        let raw = request::read(raw, 0)?;
        request::parts(raw.nodes, raw.node_count, |node| NodeIdentity::read(host, node))
    };
    operate(this, ctx, done, read, |provider: &P, ctx, nodes| provider.describe_instances(ctx, nodes));
}

pub unsafe extern "C" fn get_instance<P: GetInstance>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_get_instance_request,
    done: ccm_completion,
) {
    let read = |host: &Host| NodeIdentity::read(host, request::read(raw, 0)?.node);
    operate(this, ctx, done, read, |provider: &P, ctx, node| provider.get_instance(ctx, node));
}

pub unsafe extern "C" fn instance_limits<P: Provider>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_limits_request,
    done: ccm_completion,
) {
    let read = |_: &Host| request::read(raw, 0).map(|_| ());
    operate(this, ctx, done, read, |provider: &P, ctx, ()| provider.instance_limits(ctx));
}

/// The result of `name`.
struct Name(String);
impl ResultToC for Name {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        let raw = ccm_load_balancer_name { name: ffi::borrow(&self.0), ..ccm_load_balancer_name::default() };
        arena.value(raw) as *const c_void
    }
}

/// The result of `lane`.
struct Lane(String);
impl ResultToC for Lane {
    fn result_to_c(&self, arena: &mut Arena) -> *const c_void {
        let raw = ccm_load_balancer_lane { lane: ffi::borrow(&self.0), ..ccm_load_balancer_lane::default() };
        arena.value(raw) as *const c_void
    }
}

/// A function of ccm_cloud_loadbalancers, whose request is a Service with its backends.
macro_rules! load_balancer_function {
    ($name:ident, $bound:ident, |$provider:ident, $ctx:ident, $service:ident, $backends:ident| $call:expr) => {
        pub unsafe extern "C" fn $name<P: $bound>(
            this: *mut c_void,
            ctx: ccm_ctx,
            raw: *const ccm_load_balancer_request,
            done: ccm_completion,
        ) {
            let read = |host: &Host| load_balancers::read_request(host, raw);
            operate(this, ctx, done, read, |$provider: &P, $ctx, ($service, $backends)| $call);
        }
    };
}
load_balancer_function!(observe_load_balancer, ObserveLoadBalancer, |provider, ctx, service, backends| provider
    .observe_load_balancer(ctx, service, backends));
load_balancer_function!(ensure_load_balancer, LoadBalancers, |provider, ctx, service, backends| provider.ensure_load_balancer(ctx, service, backends));
load_balancer_function!(update_backends, UpdateLoadBalancer, |provider, ctx, service, backends| provider
    .update_load_balancer(ctx, service, backends));
load_balancer_function!(remove_load_balancer, LoadBalancers, |provider, ctx, service, _backends| provider.delete_load_balancer(ctx, service));
load_balancer_function!(load_balancer_name, LoadBalancers, |provider, ctx, service, _backends| {
    Box::pin(async move { provider.load_balancer_name(ctx, service).await.map(Name) })
});
load_balancer_function!(load_balancer_lane, LoadBalancers, |provider, ctx, service, _backends| {
    Box::pin(async move { provider.load_balancer_lane(ctx, service).await.map(Lane) })
});

pub unsafe extern "C" fn load_balancer_limits<P: LoadBalancers>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_limits_request,
    done: ccm_completion,
) {
    let read = |_: &Host| request::read(raw, 0).map(|_| ());
    operate(this, ctx, done, read, |provider: &P, ctx, ()| provider.load_balancer_limits(ctx));
}

pub unsafe extern "C" fn list_routes<P: Routes>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_list_routes_request,
    done: ccm_completion,
) {
    let read = |_: &Host| request::read(raw, 0).map(|raw| ffi::string(raw.cluster_name));
    operate(this, ctx, done, read, |provider: &P, ctx, cluster| provider.list_routes(ctx, cluster));
}

pub unsafe extern "C" fn apply_routes<P: Routes>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_apply_routes_request,
    done: ccm_completion,
) {
    let read = |host: &Host| {
        let raw = request::read(raw, 0)?;
        let remove = request::parts(raw.remove, raw.remove_count, |route| Route::read(host, route))?;
        let add = request::parts(raw.add, raw.add_count, |route| Route::read(host, route))?;
        Ok((ffi::string(raw.cluster_name), remove, add))
    };
    operate(this, ctx, done, read, |provider: &P, ctx, (cluster, remove, add)| {
        provider.apply_routes(ctx, cluster, remove, add)
    });
}

pub unsafe extern "C" fn route_limits<P: Routes>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_limits_request,
    done: ccm_completion,
) {
    let read = |_: &Host| request::read(raw, 0).map(|_| ());
    operate(this, ctx, done, read, |provider: &P, ctx, ()| provider.route_limits(ctx));
}

unsafe fn cluster_names(flags: u32, clusters: *const ccm_str, count: usize) -> ClusterNames {
    ClusterNames {
        names: ffi::strings(clusters, count),
        given: flags & CCM_OWNED_CLUSTER_GIVEN as u32 != 0,
        confirmed: flags & CCM_OWNED_OBJECT_CONFIRMED as u32 != 0,
    }
}

pub unsafe extern "C" fn list_owned<P: OwnedObjects>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_list_owned_request,
    done: ccm_completion,
) {
    let read = |_: &Host| {
        let raw = request::read(raw, CCM_OWNED_CLUSTER_GIVEN)?;
        Ok(cluster_names(raw.flags, raw.clusters, raw.cluster_count))
    };
    operate(this, ctx, done, read, |provider: &P, ctx, cluster| provider.list_owned(ctx, cluster));
}

pub unsafe extern "C" fn remove_owned<P: OwnedObjects>(
    this: *mut c_void,
    ctx: ccm_ctx,
    raw: *const ccm_remove_owned_request,
    done: ccm_completion,
) {
    let read = |_: &Host| {
        let raw = request::read(raw, CCM_OWNED_CLUSTER_GIVEN | CCM_OWNED_OBJECT_CONFIRMED)?;
        Ok((cluster_names(raw.flags, raw.clusters, raw.cluster_count), OwnedObject::read(raw.object)?))
    };
    operate(this, ctx, done, read, |provider: &P, ctx, (cluster, object)| provider.remove_owned(ctx, cluster, object));
}

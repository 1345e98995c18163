//! Drives a component as the host does.
use crate::json;
use crate::requests::{self, Given};
use crate::results::{Lane, Name, Taken};
use crate::services;
use crate::state::State;
use crate::FakeHost;
use ccm::ffi::{self, Arena};
use ccm::sys::*;
use ccm::*;
use std::cell::RefCell;
use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// That a thread of a blocking plugin gets before the clock moves: nobody sees whether it works or waits.
const PATIENCE: Duration = Duration::from_secs(1);
const DEADLINE_MS: i64 = 30_000;

type Operation<R> = Option<unsafe extern "C" fn(*mut c_void, ccm_ctx, *const R, ccm_completion)>;

/// The ctx of one operation, and what the plugin completed it with. The first completion counts.
struct Outcome<T> {
    state: *const State,
    name: &'static str,
    ctx: u64,
    found: Mutex<(usize, Option<Result<T>>)>,
}
// The state outlives its operations, and is guarded by a mutex.
unsafe impl<T: Send> Send for Outcome<T> {}
unsafe impl<T: Send> Sync for Outcome<T> {}

unsafe extern "C" fn completed<T: Taken>(owner: *mut c_void, _: u64, status: *const ccm_status, result: *const c_void) {
    let outcome = &*(owner as *const Outcome<T>);
    let state = &*outcome.state;
    let mut found = outcome.found.lock().unwrap();
    found.0 += 1;
    if found.0 > 1 {
        state.lock().faults.push(format!("{} was completed more than once", outcome.name));
        return;
    }
    found.1 = Some(match Error::check(status) {
        Ok(()) => T::take(result).ok_or_else(|| Error::internal("the operation succeeded without a result")),
        // A load balancer is the one result that may come with a failure.
        Err(error) => Err(match LoadBalancer::take(result) {
            Some(so_far) => error.with_load_balancer(so_far),
            None => error,
        }),
    });
    drop(found);
    state.end(outcome.ctx, CCM_CODE_CANCELLED);
}

/// A component of the plugin. It ends with this value, and so does the test when the plugin broke a rule.
pub struct FakeProvider<'a> {
    state: &'a State,
    nonblocking: bool,
    component: ccm_component,
    host: Box<ccm_host>,
    /// Completions point to them: a late one must find its own.
    outcomes: RefCell<Vec<Arc<dyn Send + Sync>>>,
    object: RefCell<Option<String>>,
}

struct Made(ccm_component);
unsafe impl Send for Made {}
impl Taken for Made {
    unsafe fn take(result: *const c_void) -> Option<Made> {
        if result.is_null() {
            return None;
        }
        Some(Made(ffi::known(result as *const ccm_component)))
    }
}

pub(crate) fn create<'a>(state: &'a State, plugin: *const ccm_plugin, name: &str) -> Result<FakeProvider<'a>> {
    let plugin = unsafe { ffi::known(plugin) };
    let nonblocking = unsafe { json::nonblocking(plugin.manifest) };
    let mut made = FakeProvider {
        state,
        nonblocking,
        component: ccm_component::default(),
        host: Box::new(FakeHost::raw(state, nonblocking)),
        outcomes: RefCell::default(),
        object: RefCell::default(),
    };
    let request = ccm_create_request { host: &*made.host, component: ffi::borrow(name), ..ccm_create_request::default() };
    let pending = made.begin::<Made>("create", |ctx, done| unsafe {
        plugin.create.expect("the plugin has no `create`")(std::ptr::null_mut(), ctx, &request, done)
    });
    let component = pending.finish()?.0;
    made.component = component;
    Ok(made)
}

/// An operation that was begun.
pub struct Pending<'p, 'a, T> {
    provider: &'p FakeProvider<'a>,
    outcome: Arc<Outcome<T>>,
    _of: PhantomData<T>,
}

impl<T: Taken> Pending<'_, '_, T> {
    /// Ends its ctx, as a caller does that no longer waits.
    pub fn cancel(&self) {
        self.provider.state.end(self.outcome.ctx, CCM_CODE_CANCELLED);
    }

    /// Whether it was completed.
    pub fn done(&self) -> bool {
        self.outcome.found.lock().unwrap().0 > 0
    }

    /// Goes on until it is completed, moving the clock as far as it takes. It has 30 s.
    pub fn finish(self) -> Result<T> {
        while !self.done() {
            if !self.provider.state.step(Duration::ZERO) {
                panic!("{} is never completed", self.outcome.name);
            }
        }
        let outcome = self.outcome.found.lock().unwrap().1.take();
        outcome.expect("it is taken once")
    }
}

impl<'a> FakeProvider<'a> {
    /// Calls the plugin with a new ctx, on this thread, which is that of the loop.
    fn begin<T: Taken>(&self, name: &'static str, call: impl FnOnce(ccm_ctx, ccm_completion)) -> Pending<'_, 'a, T> {
        let ctx = services::new_context(self.state, 0, DEADLINE_MS);
        let outcome = Arc::new(Outcome { state: self.state, name, ctx, found: Mutex::new((0, None)) });
        self.outcomes.borrow_mut().push(outcome.clone());
        let done =
            ccm_completion { fn_: Some(completed::<T>), owner: Arc::as_ptr(&outcome) as *mut c_void, operation: ctx };
        let pending = Pending { provider: self, outcome, _of: PhantomData };
        let ctx = ccm_ctx { id: ctx };
        if self.nonblocking || name == "create" {
            call(ctx, done);
            return pending;
        }
        // A blocking operation has a thread, and this one is the loop meanwhile.
        let sent = Sent((call, ctx, done));
        let (state, returned) = (self.state, AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let whole = sent;
                let Sent((call, ctx, done)) = whole;
                call(ctx, done);
                returned.store(true, Ordering::SeqCst);
                state.notify();
            });
            while !returned.load(Ordering::SeqCst) {
                state.step(PATIENCE);
            }
        });
        pending
    }

    /// The interface; None when the component does not hand it out.
    fn interface<T: Copy>(&self, id: &str) -> Option<(*mut c_void, T)> {
        let id = CString::new(id).unwrap();
        let mut found = ccm_interface { self_: std::ptr::null_mut(), table: std::ptr::null() };
        let get = self.component.get_interface.expect("the component has no `get_interface`");
        if unsafe { get(self.component.self_, id.as_ptr(), &mut found) } == 0 {
            return None;
        }
        Some((found.self_, unsafe { ffi::known(found.table as *const T) }))
    }

    /// Whether it hands out that interface, such as "ccm.cloud.routes/1".
    pub fn offers(&self, id: &str) -> bool {
        self.interface::<ccm_interface>(id).is_some()
    }

    /// The Node or Service of the operations that follow, as JSON.
    pub fn set_object(&self, json: &str) {
        *self.object.borrow_mut() = Some(json.to_string());
    }

    fn given(&self) -> Given {
        Given::new(self.object.borrow().as_deref())
    }

    /// Begins an operation that the component may not have.
    fn start<I: Copy, R, T: Taken>(
        &self,
        name: &'static str,
        id: &str,
        function: impl FnOnce(&I) -> Operation<R>,
        request: &R,
    ) -> Result<Pending<'_, 'a, T>> {
        let found = self.interface::<I>(id).and_then(|(this, table)| Some((this, function(&table)?)));
        let (this, function) = found.ok_or_else(|| Error::unsupported(format!("the component has no {}", name)))?;
        Ok(self.begin(name, |ctx, done| unsafe { function(this, ctx, request, done) }))
    }

    pub fn initialize(&self) -> Result<()> {
        let request = ccm_initialize_request::default();
        self.start("initialize", CCM_PROVIDER, |table: &ccm_provider| table.initialize, &request)?.finish()
    }

    pub fn shutdown(&self) -> Result<()> {
        let request = ccm_shutdown_request::default();
        self.start("shutdown", CCM_PROVIDER, |table: &ccm_provider| table.shutdown, &request)?.finish()
    }

    pub fn has_cluster_id(&self) -> bool {
        let (this, table) = self.interface::<ccm_provider>(CCM_PROVIDER).expect("the component is no provider");
        table.has_cluster_id.map_or(true, |has| unsafe { has(this) } != 0)
    }

    /// For tests that cancel it, or look at it half-way.
    pub fn start_list_instances(&self) -> Result<Pending<'_, 'a, InstanceList>> {
        let request = ccm_list_instances_request::default();
        self.start("list_instances", CCM_CLOUD_INSTANCES, |table: &ccm_cloud_instances| table.list, &request)
    }

    pub fn list_instances(&self) -> Result<InstanceList> {
        self.start_list_instances()?.finish()
    }

    pub fn describe_instances(&self, nodes: &[NodeIdentity]) -> Result<Vec<Instance>> {
        let (object, mut arena) = (self.given(), Arena::default());
        let (nodes, node_count) = arena.pointers(nodes.iter().map(|node| requests::identity(node, object.0)).collect());
        let request = ccm_describe_instances_request { nodes, node_count, ..ccm_describe_instances_request::default() };
        let list: InstanceList = self
            .start("describe_instances", CCM_CLOUD_INSTANCES, |table: &ccm_cloud_instances| table.describe, &request)?
            .finish()?;
        Ok(list.instances)
    }

    pub fn get_instance(&self, node: &NodeIdentity) -> Result<Instance> {
        let (object, mut arena) = (self.given(), Arena::default());
        let node = arena.value(requests::identity(node, object.0));
        let request = ccm_get_instance_request { node, ..ccm_get_instance_request::default() };
        self.start("get_instance", CCM_CLOUD_INSTANCES, |table: &ccm_cloud_instances| table.get, &request)?.finish()
    }

    pub fn instance_limits(&self) -> Result<InstanceLimits> {
        let request = ccm_limits_request::default();
        self.start("instance_limits", CCM_CLOUD_INSTANCES, |table: &ccm_cloud_instances| table.limits, &request)?.finish()
    }

    fn balancer<T: Taken>(
        &self,
        name: &'static str,
        function: impl FnOnce(&ccm_cloud_loadbalancers) -> Operation<ccm_load_balancer_request>,
        service: &Service,
        backends: &[Backend],
    ) -> Result<T> {
        let (object, mut arena) = (self.given(), Arena::default());
        let request = requests::load_balancer(service, backends, object.0, &mut arena);
        self.start(name, CCM_CLOUD_LOADBALANCERS, function, &request)?.finish()
    }

    /// A failure that hands over what was made has it in `so_far`.
    pub fn ensure_load_balancer(&self, service: &Service, backends: &[Backend]) -> Result<LoadBalancer> {
        self.balancer("ensure_load_balancer", |table| table.ensure, service, backends)
    }

    pub fn observe_load_balancer(&self, service: &Service, backends: &[Backend]) -> Result<LoadBalancer> {
        self.balancer("observe_load_balancer", |table| table.observe, service, backends)
    }

    pub fn update_load_balancer(&self, service: &Service, backends: &[Backend]) -> Result<LoadBalancer> {
        self.balancer("update_load_balancer", |table| table.update_backends, service, backends)
    }

    pub fn delete_load_balancer(&self, service: &Service) -> Result<()> {
        self.balancer("delete_load_balancer", |table| table.remove, service, &[])
    }

    pub fn load_balancer_name(&self, service: &Service) -> Result<String> {
        self.balancer::<Name>("load_balancer_name", |table| table.name, service, &[]).map(|name| name.0)
    }

    pub fn load_balancer_lane(&self, service: &Service) -> Result<String> {
        self.balancer::<Lane>("load_balancer_lane", |table| table.lane, service, &[]).map(|lane| lane.0)
    }

    pub fn load_balancer_limits(&self) -> Result<LoadBalancerLimits> {
        let request = ccm_limits_request::default();
        let function = |table: &ccm_cloud_loadbalancers| table.limits;
        self.start("load_balancer_limits", CCM_CLOUD_LOADBALANCERS, function, &request)?.finish()
    }

    pub fn list_routes(&self, cluster_name: &str) -> Result<Vec<Route>> {
        let request = ccm_list_routes_request { cluster_name: ffi::borrow(cluster_name), ..ccm_list_routes_request::default() };
        self.start("list_routes", CCM_CLOUD_ROUTES, |table: &ccm_cloud_routes| table.list, &request)?.finish()
    }

    pub fn apply_routes(&self, cluster_name: &str, remove: &[Route], add: &[Route]) -> Result<Vec<Result<()>>> {
        let (object, mut arena) = (self.given(), Arena::default());
        let (remove, remove_count) = requests::routes(remove, std::ptr::null(), &mut arena);
        let (add, add_count) = requests::routes(add, object.0, &mut arena);
        let cluster_name = ffi::borrow(cluster_name);
        let request =
            ccm_apply_routes_request { cluster_name, remove, remove_count, add, add_count, ..ccm_apply_routes_request::default() };
        self.start("apply_routes", CCM_CLOUD_ROUTES, |table: &ccm_cloud_routes| table.apply, &request)?.finish()
    }

    pub fn route_limits(&self) -> Result<RouteLimits> {
        let request = ccm_limits_request::default();
        self.start("route_limits", CCM_CLOUD_ROUTES, |table: &ccm_cloud_routes| table.limits, &request)?.finish()
    }

    pub fn list_owned(&self, cluster: &ClusterNames) -> Result<Vec<OwnedObject>> {
        let mut arena = Arena::default();
        let (clusters, cluster_count) = arena.texts(&cluster.names);
        let flags = if cluster.given { CCM_OWNED_CLUSTER_GIVEN as u32 } else { 0 };
        let request = ccm_list_owned_request { flags, clusters, cluster_count, ..ccm_list_owned_request::default() };
        self.start("list_owned", CCM_CLOUD_OWNED, |table: &ccm_cloud_owned| table.list, &request)?.finish()
    }

    pub fn remove_owned(&self, cluster: &ClusterNames, object: &OwnedObject) -> Result<()> {
        let mut arena = Arena::default();
        let (clusters, cluster_count) = arena.texts(&cluster.names);
        let given = if cluster.given { CCM_OWNED_CLUSTER_GIVEN as u32 } else { 0 };
        let flags = given | if cluster.confirmed { CCM_OWNED_OBJECT_CONFIRMED as u32 } else { 0 };
        let object = requests::owned(object, &mut arena);
        let request = ccm_remove_owned_request { flags, clusters, cluster_count, object, ..ccm_remove_owned_request::default() };
        self.start("remove_owned", CCM_CLOUD_OWNED, |table: &ccm_cloud_owned| table.remove, &request)?.finish()
    }

    /// An operation of a later ABI, whose request asks for something that nobody knows.
    pub fn list_of_the_future(&self) -> Result<InstanceList> {
        let request = ccm_list_instances_request { flags: 1 << 31, ..ccm_list_instances_request::default() };
        self.start("list_instances", CCM_CLOUD_INSTANCES, |table: &ccm_cloud_instances| table.list, &request)?.finish()
    }
}

/// Goes to the thread of a blocking operation, during which this thread keeps what it points to.
struct Sent<T>(T);
unsafe impl<T> Send for Sent<T> {}

impl Drop for FakeProvider<'_> {
    fn drop(&mut self) {
        if self.component.destroy.is_none() {
            self.state.clear();
            return;
        }
        self.state.clear();
        if let Some(destroy) = self.component.destroy {
            unsafe { destroy(self.component.self_) };
        }
        if std::thread::panicking() {
            return;
        }
        let faults = std::mem::take(&mut self.state.lock().faults);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        let load = |count: &std::sync::atomic::AtomicI64| count.load(std::sync::atomic::Ordering::SeqCst);
        assert_eq!(load(&self.state.callbacks), 0, "callbacks were not dropped");
        assert_eq!(load(&self.state.objects), 0, "references to objects were not given back");
    }
}

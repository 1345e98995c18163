//! Which functions a provider has, seen by the compiler. `plugin!` calls a method of `&Has<P>`: the one of a trait of
//! `Has<P>` is found first, when P has what it asks for; else the one of `Lacks`, which needs one more reference.
pub use crate::component::Tables;
use crate::operations;
use crate::provider::*;
use ccm_sys::*;
use std::marker::PhantomData;

impl Tables {
    fn instances<P: Provider>(&mut self) -> &mut ccm_cloud_instances {
        let table = ccm_cloud_instances { limits: Some(operations::instance_limits::<P>), ..ccm_cloud_instances::default() };
        self.instances.get_or_insert(table)
    }

    fn load_balancers<P: LoadBalancers>(&mut self) -> &mut ccm_cloud_loadbalancers {
        let table = ccm_cloud_loadbalancers {
            ensure: Some(operations::ensure_load_balancer::<P>),
            remove: Some(operations::remove_load_balancer::<P>),
            name: Some(operations::load_balancer_name::<P>),
            lane: Some(operations::load_balancer_lane::<P>),
            limits: Some(operations::load_balancer_limits::<P>),
            ..ccm_cloud_loadbalancers::default()
        };
        self.load_balancers.get_or_insert(table)
    }
}

pub struct Has<P>(PhantomData<P>);

impl<P> Has<P> {
    #[allow(clippy::new_without_default)]
    pub fn new() -> Has<P> {
        Has(PhantomData)
    }
}

macro_rules! capabilities {
    ($($method:ident: $capability:ident as $found:ident => |$tables:ident| $fill:expr;)*) => {
        pub trait Lacks {
            $(fn $method(&self, _tables: &mut Tables) {})*
        }
        impl<P> Lacks for &Has<P> {}
        $(
            pub trait $found {
                fn $method(&self, tables: &mut Tables);
            }
            impl<P: $capability> $found for Has<P> {
                fn $method(&self, $tables: &mut Tables) {
                    $fill;
                }
            }
        )*
    };
}
capabilities! {
    list: ListInstances as HasListInstances => |tables| tables.instances::<P>().list = Some(operations::list_instances::<P>);
    describe: DescribeInstances as HasDescribeInstances =>
        |tables| tables.instances::<P>().describe = Some(operations::describe_instances::<P>);
    get: GetInstance as HasGetInstance => |tables| tables.instances::<P>().get = Some(operations::get_instance::<P>);
    load_balancers: LoadBalancers as HasLoadBalancers => |tables| tables.load_balancers::<P>();
    observe: ObserveLoadBalancer as HasObserveLoadBalancer =>
        |tables| tables.load_balancers::<P>().observe = Some(operations::observe_load_balancer::<P>);
    update: UpdateLoadBalancer as HasUpdateLoadBalancer =>
        |tables| tables.load_balancers::<P>().update_backends = Some(operations::update_backends::<P>);
    routes: Routes as HasRoutes => |tables| tables.routes = Some(ccm_cloud_routes {
        list: Some(operations::list_routes::<P>),
        apply: Some(operations::apply_routes::<P>),
        limits: Some(operations::route_limits::<P>),
        ..ccm_cloud_routes::default()
    });
    owned: OwnedObjects as HasOwnedObjects => |tables| tables.owned = Some(ccm_cloud_owned {
        list: Some(operations::list_owned::<P>),
        remove: Some(operations::remove_owned::<P>),
        ..ccm_cloud_owned::default()
    });
}

/// The tables of a type, for `plugin!`.
#[doc(hidden)]
#[macro_export]
macro_rules! __tables {
    ($provider:ty) => {{
        use $crate::tables::*;
        let mut tables = Tables::default();
        let has = Has::<$provider>::new();
        (&has).list(&mut tables);
        (&has).describe(&mut tables);
        (&has).get(&mut tables);
        (&has).load_balancers(&mut tables);
        (&has).observe(&mut tables);
        (&has).update(&mut tables);
        (&has).routes(&mut tables);
        (&has).owned(&mut tables);
        tables
    }};
}

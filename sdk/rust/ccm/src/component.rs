//! The component of a provider, to which `self` of all tables points: `plugin` makes it, `tables` fills its tables, `operation`
//! uses it.
use crate::Host;
use ccm_sys::*;
use std::sync::Arc;

/// The tables of a component; None = it does not have that interface.
#[derive(Default)]
pub struct Tables {
    pub instances: Option<ccm_cloud_instances>,
    pub load_balancers: Option<ccm_cloud_loadbalancers>,
    pub routes: Option<ccm_cloud_routes>,
    pub owned: Option<ccm_cloud_owned>,
}

/// `self` of all tables.
pub struct Component<P> {
    pub host: Host,
    pub provider: Arc<P>,
    pub(crate) table: ccm_provider,
    pub(crate) tables: Tables,
}

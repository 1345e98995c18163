//! The component of a provider, to which `self` of all tables points: `plugin` makes it, `operation` uses it.
use crate::tables::Tables;
use crate::Host;
use ccm_sys::ccm_provider;
use std::sync::Arc;

/// `self` of all tables.
pub struct Component<P> {
    pub host: Host,
    pub provider: Arc<P>,
    pub(crate) table: ccm_provider,
    pub(crate) tables: Tables,
}

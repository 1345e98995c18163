//! Hints, Events and metrics, for which a provider waits for no answer. And whether this host leads.
use crate::callback::{callback, drop_callback};
use crate::numbers::numbers;
use crate::ffi::{self, Arena};
use crate::host::call;
use crate::{Host, Object};
use ccm_sys::*;

/// The thing that may have changed in a cloud that pushes news: as much as is known, at least one of the texts.
#[derive(Clone, Debug, Default)]
pub struct Hint {
    /// A load balancer, and not an instance.
    pub load_balancer: bool,
    /// The name of the Node or Service.
    pub name: String,
    /// The namespace of the Service.
    pub namespace: String,
    pub uid: String,
    /// The provider ID of the instance.
    pub provider_id: String,
    /// The id of the load balancer, as it is recorded on the Service.
    pub id: String,
}

numbers! {
    /// The kind of a metric.
    MetricKind, else Counter {
        Counter = CCM_METRIC_COUNTER,
        Gauge = CCM_METRIC_GAUGE,
        Histogram = CCM_METRIC_HISTOGRAM,
    }
}

/// A metric that the host exposes. Of `Host::metric`.
#[derive(Clone)]
pub struct Metric {
    host: Host,
    number: u64,
}

impl Metric {
    /// Adds to a counter, sets a gauge, observes a histogram; one value for each label's name.
    pub fn record(&self, labels: &[&str], value: f64) {
        let labels: Vec<ccm_str> = labels.iter().map(|label| ffi::borrow(label)).collect();
        call!(self.host, metrics.record(self.number, labels.as_ptr(), labels.len(), value));
    }
}

impl Host {
    /// Tells the host where to look. It reads before it acts: a wrong, doubled or lost hint does no harm.
    pub fn hint(&self, hint: &Hint) {
        let raw = ccm_hint {
            kind: if hint.load_balancer { CCM_HINT_LOAD_BALANCER } else { CCM_HINT_INSTANCE },
            name: ffi::borrow(&hint.name),
            namespace_: ffi::borrow(&hint.namespace),
            uid: ffi::borrow(&hint.uid),
            provider_id: ffi::borrow(&hint.provider_id),
            id: ffi::borrow(&hint.id),
            ..ccm_hint::default()
        };
        call!(self, hint.changed(&raw));
    }

    /// A Kubernetes Event about a Node or Service, of type Warning or Normal. It never blocks and never fails.
    pub fn event(&self, object: &Object, warning: bool, reason: &str, message: &str) {
        let raw = ccm_event {
            flags: if warning { CCM_EVENT_IS_WARNING as u32 } else { 0 },
            object: object.raw(),
            reason: ffi::borrow(reason),
            message: ffi::borrow(message),
            ..ccm_event::default()
        };
        call!(self, event.record(&raw));
    }

    /// Defines a metric, in `Provider::new` alone. `buckets` are a histogram's upper bounds, ascending, without +Inf. `None`
    /// when the name is invalid or taken, which the host logs.
    pub fn metric(&self, kind: MetricKind, name: &str, help: &str, labels: &[&str], buckets: &[f64]) -> Option<Metric> {
        let mut arena = Arena::default();
        let (label_names, label_count) = arena.array(labels.iter().map(|label| ffi::borrow(label)).collect());
        let (buckets, bucket_count) = arena.array(buckets.to_vec());
        let raw = ccm_metric {
            kind: kind.number(),
            name: ffi::borrow(name),
            help: ffi::borrow(help),
            label_names,
            label_count,
            buckets,
            bucket_count,
            ..ccm_metric::default()
        };
        match call!(self, metrics.define(&raw)) {
            None | Some(0) => None,
            Some(number) => Some(Metric { host: self.clone(), number }),
        }
    }

    /// Whether this host holds the Lease at this moment.
    pub fn leading(&self) -> bool {
        call!(self, leader.leading()).unwrap_or(0) != 0
    }

    /// Grows with each change of leader, so that it fences old writers off; 0 without leader election.
    pub fn lease_transitions(&self) -> u64 {
        call!(self, leader.transitions()).unwrap_or(0)
    }

    /// Has the function called each time that `leading` has changed; in `Provider::new` alone. It must return within 10 ms.
    /// `false` when the host refuses.
    pub fn on_leading_change(&self, listener: impl Fn() + Send + Sync + 'static) -> bool {
        let host = self.clone();
        let changed = callback(move || {
            host.logged("on_leading_change", &listener);
        });
        let taken = call!(self, leader.on_change(changed));
        if taken.is_none() {
            drop_callback(changed);
        }
        taken.unwrap_or(0) != 0
    }
}

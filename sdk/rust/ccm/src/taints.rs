//! Taints of Nodes that have a meaning for the cloud, and their effects.

/// A kubelet with --cloud-provider=external registers with it; whoever initialises the Node takes it away.
pub const UNINITIALIZED_TAINT: &str = "node.cloudprovider.kubernetes.io/uninitialized";
/// The instance is switched off.
pub const SHUTDOWN_TAINT: &str = "node.cloudprovider.kubernetes.io/shutdown";
/// Nothing runs there any more, so that Pods and volumes may move at once.
pub const OUT_OF_SERVICE_TAINT: &str = "node.kubernetes.io/out-of-service";

/// Cluster Autoscaler is about to delete the Node's instance.
pub const AUTOSCALER_TAINT: &str = "ToBeDeletedByClusterAutoscaler";
/// Karpenter does so; before its version 1 with another key, where the value says it.
pub const KARPENTER_TAINT: &str = "karpenter.sh/disrupted";
pub const OLD_KARPENTER_TAINT: &str = "karpenter.sh/disruption";
pub const OLD_KARPENTER_VALUE: &str = "disrupting";

pub const NO_SCHEDULE_EFFECT: &str = "NoSchedule";
pub const NO_EXECUTE_EFFECT: &str = "NoExecute";

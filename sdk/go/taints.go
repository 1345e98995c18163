package ccm

// Taints of Nodes that have a meaning for the cloud, and their effects.
const (
	// UninitializedTaint is what a kubelet with --cloud-provider=external registers with; whoever initialises the Node takes
	// it away.
	UninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized"
	// ShutdownTaint says that the instance is switched off.
	ShutdownTaint = "node.cloudprovider.kubernetes.io/shutdown"
	// OutOfServiceTaint says that nothing runs there any more, so that Pods and volumes may move at once.
	OutOfServiceTaint = "node.kubernetes.io/out-of-service"

	// AutoscalerTaint says that Cluster Autoscaler is about to delete the Node's instance.
	AutoscalerTaint = "ToBeDeletedByClusterAutoscaler"
	// KarpenterTaint says that Karpenter is about to do so; before its version 1 it was OldKarpenterTaint, where the value
	// OldKarpenterValue says it.
	KarpenterTaint    = "karpenter.sh/disrupted"
	OldKarpenterTaint = "karpenter.sh/disruption"
	OldKarpenterValue = "disrupting"

	NoScheduleEffect = "NoSchedule"
	NoExecuteEffect  = "NoExecute"
)

// Taints of Nodes that have a meaning for the cloud, and their effects. [any-thread]
#pragma once

#include <string_view>

namespace ccm {

// A kubelet with --cloud-provider=external registers with it; whoever initialises the Node takes it
// away.
inline constexpr std::string_view kUninitializedTaint =
    "node.cloudprovider.kubernetes.io/uninitialized";
// The instance is switched off.
inline constexpr std::string_view kShutdownTaint = "node.cloudprovider.kubernetes.io/shutdown";
// Nothing runs there any more, so that Pods and volumes may move at once.
inline constexpr std::string_view kOutOfServiceTaint = "node.kubernetes.io/out-of-service";

// Cluster Autoscaler is about to delete the Node's instance.
inline constexpr std::string_view kAutoscalerTaint = "ToBeDeletedByClusterAutoscaler";
// Karpenter does so; before its version 1 with another key, where the value says it.
inline constexpr std::string_view kKarpenterTaint = "karpenter.sh/disrupted";
inline constexpr std::string_view kOldKarpenterTaint = "karpenter.sh/disruption";
inline constexpr std::string_view kOldKarpenterValue = "disrupting";

inline constexpr std::string_view kNoScheduleEffect = "NoSchedule";
inline constexpr std::string_view kNoExecuteEffect = "NoExecute";

}  // namespace ccm

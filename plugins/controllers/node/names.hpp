// Names that Kubernetes, the kubelet and users of this controller agree on.
#pragma once

#include <string_view>

namespace ccm::node {

inline constexpr std::string_view kUninitializedTaint =
    "node.cloudprovider.kubernetes.io/uninitialized";
inline constexpr std::string_view kProvidedNodeIp = "alpha.kubernetes.io/provided-node-ip";

inline constexpr std::string_view kInstanceType = "node.kubernetes.io/instance-type";
inline constexpr std::string_view kInstanceTypeBeta = "beta.kubernetes.io/instance-type";
inline constexpr std::string_view kZone = "topology.kubernetes.io/zone";
inline constexpr std::string_view kZoneBeta = "failure-domain.beta.kubernetes.io/zone";
inline constexpr std::string_view kRegion = "topology.kubernetes.io/region";
inline constexpr std::string_view kRegionBeta = "failure-domain.beta.kubernetes.io/region";

}  // namespace ccm::node

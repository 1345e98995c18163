// Names that Kubernetes, the kubelet and users of this controller agree on.
#pragma once

#include <ccm/instances.hpp>

#include <array>
#include <string>
#include <string_view>

namespace ccm::node {

inline constexpr std::string_view kProvidedNodeIp = "alpha.kubernetes.io/provided-node-ip";
// The reason of a Node that waits for its instance.
inline constexpr std::string_view kInstanceNotReady = "InstanceNotReady";

// A property of an instance and the two labels that show it.
struct CloudLabel {
  std::string_view beta_key;
  std::string_view key;
  std::string Instance::*fact;
  bool topology;  // pods with zonal volumes are scheduled by it
};
inline constexpr std::array<CloudLabel, 3> kCloudLabels{{
    {"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type",
     &Instance::instance_type, false},
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone", &Instance::zone,
     true},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region", &Instance::region,
     true},
}};

}  // namespace ccm::node

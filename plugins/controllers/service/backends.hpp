// Which Nodes take the traffic of Services (SVC-57, SVC-58). Any thread.
#pragma once

#include <ccm/kube.hpp>
#include <ccm/load_balancer.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::service {

// JSON pointers of all fields of a Node that this controller and providers read.
const std::vector<std::string>& node_fields();

// SVC-58: the exclusion label allows it.
bool included(const Object& node);
// SVC-57: included, not being deleted, not about to be removed by the autoscaler.
bool takes_traffic(const Object& node);
// SVC-52: whether Services may need other backends after an update of a Node. Taints, readiness and
// deletionTimestamp do not count (SVC-53). Addresses do, unlike in Go: a provider may choose
// backends by them, and a Node whose kubelet sets the provider ID gets them only later.
bool changes_backends(const Object& old, const Object& now);

// All Nodes that take traffic, sorted by name. Cheap to copy.
struct BackendSet {
  Backends backends;
  uint64_t hash = 0;  // of names, provider IDs (SVC-56) and addresses
};
BackendSet select_backends(const Kube& kube);

// For SVC-62: at most 20 names.
std::string node_names(const Backends& backends);

}  // namespace ccm::service

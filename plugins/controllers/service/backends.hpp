// The Nodes that take the traffic of Services (SVC-57, SVC-58). Any thread.
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
// spec.unschedulable: no new Pods go there, as when somebody drains it.
bool cordoned(const Object& node);
// SVC-52: whether Services may need other backends after an update of a Node. Readiness does not
// count (SVC-53). Unlike in Go a Node that is going to leave does, so that no new connections go
// there when its instance stops (TRAP-17), and so do addresses: a provider may choose backends by
// them, and a Node whose kubelet sets the provider ID gets them only later.
bool changes_backends(const Object& old, const Object& now, bool exclude_cordoned);

// All Nodes that take traffic, sorted by name. Cheap to copy.
struct BackendSet {
  Backends backends;
  uint64_t hash = 0;  // of names, provider IDs (SVC-56) and addresses
};
// With `exclude_cordoned` without cordoned ones, unless only those are left.
BackendSet select_backends(const Kube& kube, bool exclude_cordoned);

// For SVC-62: at most 20 names.
std::string node_names(const Backends& backends);

}  // namespace ccm::service

// The fields of a Node that this controller reads, as values. Any thread.
#pragma once

#include <ccm/instances.hpp>
#include <ccm/object.hpp>

#include <string>
#include <vector>

namespace ccm::route {

struct NodeState {
  std::string name;
  std::string uid;
  std::string created;  // RFC 3339, so that texts sort by age
  std::string provider_id;
  std::vector<std::string> ranges;     // spec.podCIDRs, and only that (ROUTE-17)
  std::vector<NodeAddress> addresses;  // a change of them may be one of the instance
  std::string network_status;          // of the condition NetworkUnavailable; empty = there is none
  std::string network_reason;
  Object object;
};

// JSON pointers of all fields that read_node() reads.
const std::vector<std::string>& node_fields();

NodeState read_node(const Object& node);

// Whether the Node may need a different route than before (ROUTE-7). The order of addresses counts
// here, as upstream.
bool same_target(const NodeState& left, const NodeState& right);

}  // namespace ccm::route

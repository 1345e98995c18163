// What this controller reads of a Node, as values. Any thread.
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
  std::vector<std::string> ranges;  // spec.podCIDRs, and only that (ROUTE-17)
  std::vector<NodeAddress> addresses;
  std::string network_status;  // of the condition NetworkUnavailable; empty = there is none
  std::string network_reason;
  Object object;
};

// JSON pointers of all that read_node() looks at.
const std::vector<std::string>& node_fields();

NodeState read_node(const Object& node);

// Whether a route to the Node may be another one than before (ROUTE-7). The order of addresses
// counts here, as upstream.
bool same_target(const NodeState& left, const NodeState& right);

// As many, and each of the one side among the other's (ROUTE-16).
bool same_addresses(const std::vector<NodeAddress>& left, const std::vector<NodeAddress>& right);

}  // namespace ccm::route

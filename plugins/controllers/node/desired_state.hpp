// The desired state of an initialised Node. Any thread.
#pragma once

#include "labels.hpp"
#include "node_state.hpp"

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <string>
#include <vector>

namespace ccm::node {

struct DesiredState {
  std::string provider_id;  // to be set; empty = the Node keeps its own (NODE-13)
  LabelPlan labels;
  std::vector<NodeAddress> addresses;  // empty = the Node keeps its own (NODE-29)
};

// Failures leave the taint where it is: no provider ID on either side (NODE-9), a provided-node-ip
// annotation that does not fit the instance's addresses (NODE-14), or, waiting with the reason
// kInstanceNotReady, no IP address on either side.
Result<DesiredState> desired_state(const NodeState& node, const Instance& instance);

}  // namespace ccm::node

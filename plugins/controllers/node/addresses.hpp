// The addresses that a Node should show. Any thread.
#pragma once

#include "node_state.hpp"

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <vector>

namespace ccm::node {

// The Node's whole list: the cloud's addresses, the kubelet's Hostname when the cloud has none
// (NODE-30), ordered by the provided-node-ip annotation (NODE-31), no pair twice (TRAP-33).
// Empty when the cloud gave none: then the Node keeps what it has (NODE-29).
// Failure: the annotation is wrong or does not fit.
Result<std::vector<NodeAddress>> desired_addresses(const NodeState& node,
                                                   const std::vector<NodeAddress>& cloud);

// Whether the list must be written: lists are compared whole and in order (TRAP-8).
bool addresses_differ(const NodeState& node, const std::vector<NodeAddress>& desired);

}  // namespace ccm::node

// The annotation alpha.kubernetes.io/provided-node-ip: the kubelet's --node-ip among the cloud's
// addresses. Any thread.
#pragma once

#include "ip_address.hpp"

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <string_view>
#include <vector>

namespace ccm::node {

// NODE-34: one address, or two of different families with a comma between them.
// Failure: failed_precondition, naming the annotation and its fault.
Result<std::vector<IpAddress>> parse_provided_node_ip(std::string_view annotation);

// NODE-35 to NODE-39: the entries with those addresses first, in the annotation's order; other
// entries of their types are dropped; the rest follows in its order.
// Failure: failed_precondition when an address is not among them.
Result<std::vector<NodeAddress>> pin_addresses(const std::vector<NodeAddress>& addresses,
                                               std::string_view annotation);

}  // namespace ccm::node

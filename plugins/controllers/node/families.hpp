// The IP families of a Node in a cluster that has two. Any thread.
#pragma once

#include "node_state.hpp"

#include <ccm/instances.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::node {

// Whether the texts, addresses or ranges, are of both families.
bool both_families(const std::vector<std::string>& texts);

// Why a Node of a dual-stack cluster has one family alone, and what to do about it; empty = it has
// both, or its instance has no more. `shown`: the addresses that the Node is to show.
std::string one_family_text(const NodeState& node, const std::vector<NodeAddress>& cloud,
                            const std::vector<NodeAddress>& shown);

}  // namespace ccm::node

// The bodies of this controller's writes, all strategic merge patches: for a JSON merge patch the
// API server encodes and decodes the whole Node, which takes it twice the time. Each carries the
// uid of the Node that it was made for: another one of that name answers with a conflict (API-46).
// Any thread.
#pragma once

#include "desired_state.hpp"
#include "node_state.hpp"

#include <ccm/instances.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::node {

// For nodes/<name>/status. The list is replaced whole: merged by type, it would keep stale entries
// (TRAP-9). `version`: the resourceVersion that it has to be written at; empty = any.
std::string address_patch(std::string_view uid, std::string_view version,
                          const std::vector<NodeAddress>& addresses);

// For nodes/<name>: provider ID, labels, and the taints without the uninitialized one (NODE-20).
// Taints are one atomic list, so the patch carries the resourceVersion that it was made from
// (TRAP-30, LIFE-16).
std::string initialization_patch(const NodeState& node, const DesiredState& desired);

// For nodes/<name>; labels alone carry no resourceVersion (TRAP-30).
std::string label_patch(std::string_view uid, const Labels& labels);

}  // namespace ccm::node

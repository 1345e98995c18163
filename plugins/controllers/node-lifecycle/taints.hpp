// The two taints of a machine that is shut down. Any thread.
#pragma once

#include "node_state.hpp"

#include <optional>
#include <string>

namespace ccm::node_lifecycle {

enum class Wanted {
  none,                         // the machine runs, or the Node is Ready
  shutdown,                     // node.cloudprovider.kubernetes.io/shutdown:NoSchedule
  shutdown_and_out_of_service,  // and node.kubernetes.io/out-of-service=nodeshutdown:NoExecute
};

// The Node carries the shutdown taint, with whatever value.
bool has_shutdown_taint(const NodeState& node);

// The merge patch for nodes/<name> that makes the Node's taints so, under its uid (API-46) and,
// because spec.taints is one atomic list (LIFE-16), its resourceVersion; nothing when they are so
// already (LIFE-14). The out-of-service taint comes with an annotation, and only beside that is it
// taken off: without it, somebody else has put the taint on.
std::optional<std::string> taint_patch(const NodeState& node, Wanted wanted);

}  // namespace ccm::node_lifecycle

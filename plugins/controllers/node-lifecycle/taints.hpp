// The two taints for an instance that is shut down. Any thread.
#pragma once

#include "node_state.hpp"

#include <optional>
#include <string>

namespace ccm::node_lifecycle {

enum class Wanted {
  none,                         // the instance runs, or the Node is Ready
  shutdown,                     // node.cloudprovider.kubernetes.io/shutdown:NoSchedule
  shutdown_and_out_of_service,  // and node.kubernetes.io/out-of-service=nodeshutdown:NoExecute
};

// The Node carries the shutdown taint, with whatever value.
bool has_shutdown_taint(const Object& node);

// The strategic merge patch for nodes/<name> that sets the Node's taints, with its uid (API-46)
// and, because spec.taints is one atomic list (LIFE-16), its resourceVersion; nothing when the
// taints are already right (LIFE-14). The out-of-service taint is added together with an
// annotation, and removed only with it: without the annotation, another writer has added the taint.
std::optional<std::string> taint_patch(const NodeState& node, Wanted wanted);

}  // namespace ccm::node_lifecycle

// A component's live Kubernetes calls, with deletions of Nodes routed through the gate.
#pragma once

#include "cloud/deletion/node_deletions.hpp"
#include "plugin/host_services/kube_access.hpp"

#include <memory>

namespace ccm::plugin {

// `deletions` must outlive the result.
std::shared_ptr<ObjectApi> guard_nodes(std::shared_ptr<ObjectApi> api, NodeDeletions& deletions);

}  // namespace ccm::plugin

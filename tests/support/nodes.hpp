// Nodes as kubelets with --cloud-provider=external register them.
#pragma once

#include "support/kube_client.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace ccm::support {

inline constexpr const char* kUninitializedTaint = "node.cloudprovider.kubernetes.io/uninitialized";

// `provider_id`: empty = none.
nlohmann::json uninitialised_node(const std::string& name, const std::string& provider_id);
// The Nodes whose name begins so and that have not got the taint (any more).
int64_t count_initialised(KubeClient& api, const std::string& prefix);

}  // namespace ccm::support

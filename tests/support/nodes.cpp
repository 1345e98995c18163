#include "support/nodes.hpp"

#include <algorithm>

namespace ccm::support {

using nlohmann::json;

json uninitialised_node(const std::string& name, const std::string& provider_id) {
  const json taint = {{"key", kUninitializedTaint}, {"value", "true"}, {"effect", "NoSchedule"}};
  json node = {{"apiVersion", "v1"},
               {"kind", "Node"},
               {"metadata", {{"name", name}}},
               {"spec", {{"taints", json::array({taint})}}}};
  if (!provider_id.empty()) node["spec"]["providerID"] = provider_id;
  return node;
}

int64_t count_initialised(KubeClient& api, const std::string& prefix) {
  const json nodes = api.get("/api/v1/nodes").body.at("items");
  return std::count_if(nodes.begin(), nodes.end(), [&](const json& node) {
    const json taints = node.at("spec").value("taints", json::array());
    return node.at("metadata").at("name").get<std::string>().starts_with(prefix) &&
           std::none_of(taints.begin(), taints.end(),
                        [](const json& taint) { return taint.at("key") == kUninitializedTaint; });
  });
}

}  // namespace ccm::support

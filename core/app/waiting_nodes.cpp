#include "app/waiting_nodes.hpp"

#include <ccm/taints.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace ccm::app {

namespace {

constexpr int64_t kPage = 250;

bool waits(const nlohmann::json& node) {
  const auto spec = node.find("spec");
  if (spec == node.end() || !spec->is_object()) return false;
  const auto taints = spec->find("taints");
  if (taints == spec->end() || !taints->is_array()) return false;
  return std::any_of(taints->begin(), taints->end(), [](const nlohmann::json& taint) {
    return taint.is_object() && taint.value("key", "") == kUninitializedTaint;
  });
}

}  // namespace

std::string add_waiting_nodes(const std::string& page, std::size_t most,
                              std::vector<kube::ObjectReference>& nodes) {
  const auto list = nlohmann::json::parse(page, nullptr, false);
  if (!list.is_object() || !list.contains("items") || !list["items"].is_array()) return {};
  for (const nlohmann::json& node : list["items"]) {
    if (nodes.size() >= most) return {};
    if (!node.is_object() || !node.contains("metadata") || !waits(node)) continue;
    kube::ObjectReference reference;
    reference.api_version = "v1";
    reference.kind = "Node";
    reference.name = node["metadata"].value("name", "");
    reference.uid = node["metadata"].value("uid", "");
    nodes.push_back(std::move(reference));
  }
  const auto metadata = list.find("metadata");
  return metadata == list.end() ? std::string() : metadata->value("continue", "");
}

boost::asio::awaitable<std::vector<kube::ObjectReference>> list_waiting_nodes(kube::Client client,
                                                                              std::size_t most) {
  std::vector<kube::ObjectReference> nodes;
  kube::ListOptions page;
  page.limit = kPage;
  for (;;) {
    kube::Resource resource = kube::resources::nodes();
    std::string no_namespace;
    kube::ListOptions options = page;
    const auto answer =
        co_await client.list(std::move(resource), std::move(no_namespace), std::move(options));
    if (!answer.ok()) break;
    page.continue_token = add_waiting_nodes(*answer, most, nodes);
    if (page.continue_token.empty()) break;
  }
  co_return nodes;
}

}  // namespace ccm::app

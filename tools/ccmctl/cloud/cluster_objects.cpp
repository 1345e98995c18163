#include "cluster_objects.hpp"

#include "ccmctl/manager/object_text.hpp"

#include <ccm/percent_encode.hpp>

#include <utility>

namespace ccm::ctl {
namespace {

using nlohmann::json;

constexpr const char* kPageOfObjects = "?limit=500";

Status no_list(const std::string& path) {
  return {Code::data_loss, "the API server's answer to " + path + " is no whole list"};
}

}  // namespace

Result<json> whole_list(const ManagerOptions& options, const std::string& path,
                        const std::string& kind) {
  json items = json::array();
  std::string next;
  do {
    std::string query = path + kPageOfObjects;
    if (!next.empty()) query += "&continue=" + percent_encode(next);
    const auto page = ask_cluster(options, query);
    if (!page.ok()) return page.status();
    if (member(*page, "kind") != kind || !page->contains("items") ||
        !page->at("items").is_array()) {
      return no_list(path);
    }
    for (const json& item : page->at("items")) {
      if (!item.is_object()) return no_list(path);
      items.push_back(item);
    }
    const std::string following = member(part(*page, "metadata"), "continue");
    if (!following.empty() && following == next) return no_list(path);
    next = following;
  } while (!next.empty());
  return items;
}

Result<ClusterObjects> read_cluster(const ManagerOptions& options) {
  ClusterObjects cluster;
  auto services = whole_list(options, "/api/v1/services", "ServiceList");
  if (!services.ok()) return services.status().with_context("Services of the cluster");
  auto nodes = whole_list(options, "/api/v1/nodes", "NodeList");
  if (!nodes.ok()) return nodes.status().with_context("Nodes of the cluster");
  cluster.services = *std::move(services);
  cluster.nodes = *std::move(nodes);
  return cluster;
}

Result<ClusterNames> names_of_cluster(const ManagerOptions& options,
                                      const std::string& cluster_name) {
  const auto system = ask_cluster(options, "/api/v1/namespaces/kube-system");
  if (!system.ok()) return system.status().with_context("namespace kube-system");
  const std::string uid = member(part(*system, "metadata"), "uid");
  if (uid.empty()) return Status(Code::data_loss, "the namespace kube-system has no UID");
  return ClusterNames{{cluster_name, uid}, false};
}

}  // namespace ccm::ctl

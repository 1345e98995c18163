#include "world.hpp"

#include <stdexcept>

namespace ccm::e2e {

using nlohmann::json;

World::World() : server_(folder_.path()), cloud_(folder_.path()), api_(server_.client()) {}

void World::clean() {
  remove_services();
  remove_all("/api/v1/nodes");
  remove_all("/api/v1/namespaces/default/events");
  remove_all("/api/v1/namespaces/kube-system/events");
  // The real server keeps leases of its own beside those of managers.
  remove_all("/apis/coordination.k8s.io/v1/namespaces/kube-system/leases",
             "cloud-controller-manager");
  cloud_.reset();
}

// Removes Services of all namespaces; the API server itself keeps default/kubernetes.
void World::remove_services() {
  const support::KubeResponse list = api_.get("/api/v1/services");
  if (!list.ok()) throw std::runtime_error("/api/v1/services: " + list.http.body);
  for (const json& item : list.body.at("items")) {
    const json& metadata = item.at("metadata");
    if (metadata.at("namespace") == "default" && metadata.at("name") == "kubernetes") continue;
    const std::string path = "/api/v1/namespaces/" + metadata.at("namespace").get<std::string>() +
                             "/services/" + metadata.at("name").get<std::string>();
    remove_one(path);
  }
}

void World::remove_one(const std::string& path) {
  api_.patch(path, support::kMergePatch, {{"metadata", {{"finalizers", nullptr}}}});
  const int status = api_.remove(path).status;
  if (status != 200 && status != 202 && status != 404) {
    throw std::runtime_error("cannot remove " + path + ": " + std::to_string(status));
  }
}

void World::remove_all(const std::string& collection, const std::string& name_prefix) {
  const support::KubeResponse list = api_.get(collection);
  if (!list.ok()) throw std::runtime_error(collection + ": " + list.http.body);
  for (const json& item : list.body.at("items")) {
    const std::string name = item.at("metadata").at("name");
    if (!name.starts_with(name_prefix)) continue;
    remove_one(collection + "/" + name);
  }
}

}  // namespace ccm::e2e

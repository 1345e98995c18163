#include "support/manifests.hpp"

#include "support/file.hpp"
#include "support/yaml.hpp"

#include <map>
#include <sstream>
#include <stdexcept>

namespace ccm::support {
namespace {

using nlohmann::json;

struct Collection {
  const char* resource;
  bool namespaced;
};

const Collection& collection_of(const std::string& kind) {
  static const auto* const known =
      new std::map<std::string, Collection>{{"ClusterRole", {"clusterroles", false}},
                                            {"ClusterRoleBinding", {"clusterrolebindings", false}},
                                            {"DaemonSet", {"daemonsets", true}},
                                            {"Deployment", {"deployments", true}},
                                            {"Role", {"roles", true}},
                                            {"RoleBinding", {"rolebindings", true}},
                                            {"Secret", {"secrets", true}},
                                            {"ServiceAccount", {"serviceaccounts", true}}};
  const auto found = known->find(kind);
  if (found == known->end()) throw std::runtime_error("manifests of kind " + kind);
  return found->second;
}

}  // namespace

std::vector<json> parse_manifests(const std::string& text) {
  std::vector<json> objects;
  std::string document;
  const auto end_document = [&] {
    const json object = parse_yaml(document);
    if (!object.is_null()) objects.push_back(object);
    document.clear();
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line == "---") {
      end_document();
    } else {
      document += line + "\n";
    }
  }
  end_document();
  return objects;
}

std::vector<json> read_manifests(const std::filesystem::path& file) {
  return parse_manifests(read_file(file));
}

void apply(KubeClient& api, const json& object) {
  const std::string version = object.at("apiVersion");
  const Collection& collection = collection_of(object.at("kind"));
  const json& metadata = object.at("metadata");
  std::string path = version.find('/') == std::string::npos ? "/api/" : "/apis/";
  path += version;
  if (collection.namespaced) path += "/namespaces/" + metadata.at("namespace").get<std::string>();
  path += std::string("/") + collection.resource + "/" + metadata.at("name").get<std::string>();
  const KubeResponse answer =
      api.patch(path + "?fieldManager=test&force=true", kApplyPatch, object);
  if (!answer.ok()) throw std::runtime_error(path + ": " + answer.http.body);
}

}  // namespace ccm::support

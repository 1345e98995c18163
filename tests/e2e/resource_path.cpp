#include "resource_path.hpp"

#include <map>
#include <stdexcept>

namespace ccm::e2e {
namespace {

using nlohmann::json;

struct Place {
  const char* root;
  const char* resource;
  bool namespaced;
};

const Place& place_of(const std::string& kind) {
  static const auto* const places = new std::map<std::string, Place>{
      {"Node", {"/api/v1", "nodes", false}},
      {"Namespace", {"/api/v1", "namespaces", false}},
      {"Event", {"/api/v1", "events", true}},
      {"Service", {"/api/v1", "services", true}},
      {"ConfigMap", {"/api/v1", "configmaps", true}},
      {"Secret", {"/api/v1", "secrets", true}},
      {"ServiceAccount", {"/api/v1", "serviceaccounts", true}},
      {"Lease", {"/apis/coordination.k8s.io/v1", "leases", true}},
  };
  const auto found = places->find(kind);
  if (found == places->end()) throw std::runtime_error("unknown kind \"" + kind + "\"");
  return found->second;
}

std::string text(const json& object, const char* member) {
  return object.value("metadata", json::object()).value(member, std::string());
}

}  // namespace

std::string collection_path(const std::string& kind, const std::string& name_space) {
  const Place& place = place_of(kind);
  std::string path = place.root;
  if (place.namespaced)
    path += "/namespaces/" + (name_space.empty() ? std::string("default") : name_space);
  return path + "/" + place.resource;
}

std::string collection_path(const json& object) {
  return collection_path(object.at("kind"), text(object, "namespace"));
}

std::string object_path(const json& object) {
  return collection_path(object) + "/" + text(object, "name");
}

std::string object_path(const std::string& reference) {
  const std::size_t first = reference.find('/');
  const std::size_t last = reference.rfind('/');
  if (first == std::string::npos) {
    throw std::runtime_error("\"" + reference + "\" is not KIND/NAME or KIND/NAMESPACE/NAME");
  }
  const std::string name_space =
      first == last ? std::string() : reference.substr(first + 1, last - first - 1);
  return collection_path(reference.substr(0, first), name_space) + "/" + reference.substr(last + 1);
}

}  // namespace ccm::e2e

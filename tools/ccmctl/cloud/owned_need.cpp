#include "owned_need.hpp"

#include "ccmctl/manager/object_text.hpp"
#include "ccmctl/output.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>

namespace ccm::ctl {
namespace {

using nlohmann::json;

constexpr std::size_t kUid = 36;
constexpr std::size_t kShortestUid = 30;  // a mark may cut a UID
constexpr const char* kFinalizer = "service.kubernetes.io/load-balancer-cleanup";

std::string key_of(const json& object) {
  const json& metadata = part(object, "metadata");
  return member(metadata, "namespace") + "/" + member(metadata, "name");
}

// While a manager has yet to clean up, what it made is its work and no orphan.
bool wants_balancer(const json& service) {
  if (member(part(service, "spec"), "type") == "LoadBalancer") return true;
  const json& finalizers = part(part(service, "metadata"), "finalizers");
  return std::any_of(finalizers.begin(), finalizers.end(),
                     [](const json& each) { return each == kFinalizer; });
}

bool is_service(const Label& marked, const json& service) {
  if (marked.value.empty()) return marked.key == key_of(service);
  const std::string uid = member(part(service, "metadata"), "uid");
  return marked.value.size() >= kShortestUid && uid.starts_with(marked.value);
}

bool shows_address(const json& service, const std::string& address) {
  if (address.empty()) return false;
  const json& ingress = part(part(part(service, "status"), "loadBalancer"), "ingress");
  return std::any_of(ingress.begin(), ingress.end(), [&](const json& each) {
    return member(each, "ip") == address || member(each, "hostname") == address;
  });
}

bool records_id(const json& service, const std::string& id) {
  const json& annotations = part(part(service, "metadata"), "annotations");
  return std::any_of(annotations.begin(), annotations.end(),
                     [&](const json& value) { return value == id; });
}

bool service_needs(const OwnedObject& object, const json& service) {
  if (!wants_balancer(service)) return false;
  return std::any_of(object.services.begin(), object.services.end(),
                     [&](const Label& marked) { return is_service(marked, service); }) ||
         shows_address(service, object.address) || records_id(service, object.id);
}

bool node_needs(const OwnedObject& object, const json& node) {
  const std::string name = member(part(node, "metadata"), "name");
  if (!object.node.empty() && object.node != name) return false;
  const json& spec = part(node, "spec");
  const json& ranges = part(spec, "podCIDRs");
  return member(spec, "podCIDR") == object.destination_cidr ||
         std::any_of(ranges.begin(), ranges.end(),
                     [&](const json& range) { return range == object.destination_cidr; });
}

std::string text_of_service(const Label& marked, const ClusterObjects& cluster) {
  for (const json& service : cluster.services) {
    if (is_service(marked, service)) return key_of(service);
  }
  std::string uid = marked.value;
  if (!uid.empty() && uid.size() < kUid) uid += "...";
  if (marked.key.empty() || uid.empty()) return printable(marked.key + uid);
  return printable(marked.key + " (" + uid + ")");
}

}  // namespace

ClusterObjects of_two_looks(ClusterObjects before, const ClusterObjects& after) {
  for (const json& service : after.services) before.services.push_back(service);
  for (const json& node : after.nodes) before.nodes.push_back(node);
  return before;
}

bool is_needed(const OwnedObject& object, const ClusterObjects& cluster) {
  if (!object.destination_cidr.empty()) {
    return std::any_of(cluster.nodes.begin(), cluster.nodes.end(),
                       [&](const json& node) { return node_needs(object, node); });
  }
  const bool for_services = !object.services.empty() || object.kind == CCM_OWNED_LOAD_BALANCER;
  if (!for_services) return true;
  return std::any_of(cluster.services.begin(), cluster.services.end(),
                     [&](const json& service) { return service_needs(object, service); });
}

std::string subject_of(const OwnedObject& object, const ClusterObjects& cluster) {
  if (!object.destination_cidr.empty()) {
    const std::string range = printable(object.destination_cidr);
    return object.node.empty() ? range : printable(object.node) + " " + range;
  }
  std::vector<std::string> names;
  for (const Label& marked : object.services) names.push_back(text_of_service(marked, cluster));
  return join(names);
}

std::string namespace_of(const OwnedObject& object) {
  for (const Label& marked : object.services) {
    if (!marked.key.empty()) return printable(marked.key.substr(0, marked.key.find('/')));
  }
  return {};
}

std::vector<DoubledBalancer> doubled_balancers(const std::vector<OwnedObject>& objects,
                                               const ClusterObjects& cluster) {
  std::map<std::string, std::set<std::string>> ids;
  for (const OwnedObject& object : objects) {
    if (object.kind != CCM_OWNED_LOAD_BALANCER) continue;
    for (const json& service : cluster.services) {
      const bool its =
          std::any_of(object.services.begin(), object.services.end(),
                      [&](const Label& marked) { return is_service(marked, service); });
      if (its) ids[key_of(service)].insert(printable(object.id));
    }
  }
  std::vector<DoubledBalancer> doubled;
  for (const auto& [service, balancers] : ids) {
    if (balancers.size() < 2) continue;
    doubled.push_back({service, {balancers.begin(), balancers.end()}});
  }
  return doubled;
}

}  // namespace ccm::ctl

#include "cluster_marks.hpp"

#include "openstack/load_balancers/ownership.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr std::string_view kNamePrefix = "kube_service_";
constexpr std::string_view kMarkPrefix = "ccm-service:";
constexpr std::string_view kGroupPrefix = "lb-sg-";
constexpr std::string_view kGroupText = "Security group for ";
constexpr std::size_t kUidLength = 36;

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// UIDs of clusters among their names.
bool name_a_uid(const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) {
    return name.size() == kUidLength && name[8] == '-' && name[13] == '-' && name[18] == '-' &&
           name[23] == '-' && name.find_first_not_of("0123456789abcdef-") == std::string::npos;
  });
}

// By which of its names the cluster is meant; empty = another one is. A mark with an UID tells
// clusters of one name apart, if the user does.
std::string cluster_of(const MarkedService& marked, const std::vector<std::string>& clusters) {
  if (!marked.cluster_uid.empty()) {
    if (is_one_of(clusters, marked.cluster_uid)) return marked.cluster_uid;
    if (name_a_uid(clusters)) return {};
  }
  return is_one_of(clusters, marked.cluster) ? marked.cluster : std::string();
}

// The cluster of an object with one mark, if it is asked for.
std::optional<OwnedObject> of_one_mark(const std::optional<MarkedService>& marked,
                                       const std::vector<std::string>& clusters) {
  OwnedObject object;
  object.no_cluster = !marked;
  if (!marked) return object;
  object.cluster = cluster_of(*marked, clusters);
  return object.cluster.empty() ? std::nullopt : std::optional(std::move(object));
}

// The marks name the Services by UID; a name without a mark beside it counts, too (OS-227).
std::vector<Label> services_of(const std::vector<MarkedService>& named,
                               const std::vector<std::string>& uids) {
  std::vector<Label> services;
  if (named.size() == 1 && uids.size() == 1) return {{named.front().service, uids.front()}};
  for (const std::string& uid : uids) services.push_back({std::string(), uid});
  if (uids.size() >= named.size()) return services;
  for (const MarkedService& one : named) services.push_back({one.service, std::string()});
  return services;
}

}  // namespace

std::optional<OwnedObject> owned_load_balancer(const ExistingLoadBalancer& balancer,
                                               const std::vector<std::string>& clusters) {
  std::vector<MarkedService> named;
  std::vector<std::string> uids;
  std::vector<std::string> cluster_uids;
  bool unreadable = false;  // a name that may be anybody's
  for (const std::string& tag : balancer.tags) {
    if (const auto uid = cluster_in_tag(tag); !uid.empty()) cluster_uids.emplace_back(uid);
    if (tag.starts_with(kMarkPrefix)) uids.push_back(tag.substr(kMarkPrefix.size()));
    if (!tag.starts_with(kNamePrefix)) continue;
    auto marked = service_in_name(tag);
    unreadable = unreadable || !marked;
    if (marked) named.push_back(*std::move(marked));
  }
  if (named.empty()) {
    if (auto marked = service_in_name(balancer.name)) named.push_back(*std::move(marked));
  }
  const bool made = made_by_a_manager(balancer);
  if (named.empty() && uids.empty() && !made) return std::nullopt;
  // Which cluster's each name is they do not say when several share it.
  if (cluster_uids.size() == 1) {
    for (MarkedService& one : named) one.cluster_uid = cluster_uids.front();
  }
  OwnedObject object;
  for (const MarkedService& one : named) {
    if (object.cluster.empty()) object.cluster = cluster_of(one, clusters);
  }
  if (!named.empty() && object.cluster.empty()) return std::nullopt;
  object.no_cluster = named.empty();
  object.shared = !made || unreadable || cluster_uids.size() > 1 ||
                  std::any_of(named.begin(), named.end(), [&](const MarkedService& one) {
                    return cluster_of(one, clusters).empty();
                  });
  object.kind = CCM_OWNED_LOAD_BALANCER;
  object.id = balancer.id;
  object.name = balancer.name;
  object.address = balancer.vip_address;
  object.services = services_of(named, uids);
  return object;
}

std::optional<OwnedObject> owned_floating_ip(const FloatingIp& address,
                                             const std::vector<std::string>& clusters) {
  if (!is_manager_text(address.description)) return std::nullopt;
  const auto marked = service_in_description(address.description);
  auto object = of_one_mark(marked, clusters);
  if (!object) return object;
  object->kind = CCM_OWNED_FLOATING_IP;
  object->id = address.id;
  object->address = address.address;
  if (marked) object->services.push_back({marked->service, std::string()});
  return object;
}

std::optional<OwnedObject> owned_security_group(const NamedSecurityGroup& group,
                                                const std::vector<std::string>& clusters) {
  const std::string_view name = group.name;
  if (!name.starts_with(kGroupPrefix) || !group.description.starts_with(kGroupText)) {
    return std::nullopt;
  }
  const auto marked = service_in_description(group.description);
  auto object = of_one_mark(marked, clusters);
  if (!object) return object;
  object->kind = CCM_OWNED_SECURITY_GROUP;
  object->id = group.id;
  object->name = group.name;
  object->services.push_back({marked ? marked->service : std::string(),
                              std::string(name.substr(kGroupPrefix.size(), kUidLength))});
  return object;
}

}  // namespace ccm::openstack

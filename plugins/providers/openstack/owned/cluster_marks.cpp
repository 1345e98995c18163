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
constexpr std::string_view kFloatingIpText = "Floating IP for Kubernetes external service ";
constexpr std::string_view kGroupText = "Security group for ";
constexpr std::string_view kGroupCluster = " Service LoadBalancer in cluster ";
constexpr std::string_view kFromCluster = " from cluster ";
constexpr std::size_t kCut = 255;  // a text of this length may have lost its end
constexpr std::size_t kUidLength = 36;

bool is_one_of(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<MarkedService> split_at(std::string_view text, std::string_view middle) {
  const std::size_t place = text.find(middle);
  if (place == std::string_view::npos) return std::nullopt;
  MarkedService marked{std::string(text.substr(place + middle.size())),
                       std::string(text.substr(0, place))};
  const bool whole = !marked.cluster.empty() && marked.service.find('/') != std::string::npos;
  return whole ? std::optional(std::move(marked)) : std::nullopt;
}

// The cluster of an object with one mark, if it is asked for.
std::optional<OwnedObject> of_one_mark(const std::optional<MarkedService>& marked,
                                       const std::vector<std::string>& clusters) {
  OwnedObject object;
  object.no_cluster = !marked;
  if (!marked) return object;
  if (!is_one_of(clusters, marked->cluster)) return std::nullopt;
  object.cluster = marked->cluster;
  return object;
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

std::optional<MarkedService> service_in_name(std::string_view name) {
  if (!name.starts_with(kNamePrefix) || name.size() >= kCut) return std::nullopt;
  name.remove_prefix(kNamePrefix.size());
  // Names of Services and namespaces have no underscore, a cluster's may have some.
  const std::size_t last = name.rfind('_');
  if (last == std::string_view::npos || last == 0) return std::nullopt;
  const std::size_t middle = name.rfind('_', last - 1);
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  const std::string_view space = name.substr(middle + 1, last - middle - 1);
  const std::string_view service = name.substr(last + 1);
  if (space.empty() || service.empty()) return std::nullopt;
  return MarkedService{std::string(name.substr(0, middle)),
                       std::string(space) + "/" + std::string(service)};
}

std::optional<MarkedService> service_in_description(std::string_view description) {
  if (description.size() >= kCut) return std::nullopt;
  if (description.starts_with(kFloatingIpText)) {
    return split_at(description.substr(kFloatingIpText.size()), kFromCluster);
  }
  if (description.starts_with(kGroupText)) {
    return split_at(description.substr(kGroupText.size()), kGroupCluster);
  }
  return std::nullopt;
}

std::optional<OwnedObject> owned_load_balancer(const ExistingLoadBalancer& balancer,
                                               const std::vector<std::string>& clusters) {
  std::vector<MarkedService> named;
  std::vector<std::string> uids;
  bool unreadable = false;  // a name that may be anybody's
  for (const std::string& tag : balancer.tags) {
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
  OwnedObject object;
  const auto ours = std::find_if(named.begin(), named.end(), [&](const MarkedService& one) {
    return is_one_of(clusters, one.cluster);
  });
  if (ours != named.end()) {
    object.cluster = ours->cluster;
  } else if (!named.empty()) {
    return std::nullopt;
  }
  object.no_cluster = named.empty();
  object.shared =
      !made || unreadable || std::any_of(named.begin(), named.end(), [&](const MarkedService& one) {
        return !is_one_of(clusters, one.cluster);
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
  if (!address.description.starts_with(kFloatingIpText)) return std::nullopt;
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

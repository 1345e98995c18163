#include "ownership.hpp"

#include "rules.hpp"

#include <string_view>
#include <utility>

namespace ccm::aws {
namespace {

std::string_view tag_value(const Tags& tags, std::string_view key) {
  const auto found = tags.find(key);
  return found != tags.end() ? std::string_view(found->second) : std::string_view();
}

// A Service that was made again under its old name has another UID.
bool is_of_uid(const LoadBalancerService& service, const Marked& balancer) {
  const std::string_view uid = tag_value(balancer.tags, kServiceUidTag);
  if (!uid.empty()) return uid == service.uid;
  return balancer.name == load_balancer_name(service.uid);
}

}  // namespace

std::string guest_tag(const std::string& uid) { return std::string(kGuestTagPrefix) + uid; }

bool of_cluster(const Tags& tags, const Cluster& cluster) {
  return tags.contains(cluster.tag()) || tag_value(tags, kLegacyClusterTag) == cluster.id;
}

bool made_for_cluster(const Tags& tags, const Cluster& cluster) {
  const auto own = tags.find(cluster.tag());
  return own != tags.end() ? own->second == kOwned : of_cluster(tags, cluster);
}

bool has_both_tags(const LoadBalancerService& service, const Tags& tags, const Cluster& cluster) {
  return of_cluster(tags, cluster) && tag_value(tags, kServiceTag) == service_key(service);
}

bool is_owner(const LoadBalancerService& service, const Marked& balancer, const Cluster& cluster) {
  return has_both_tags(service, balancer.tags, cluster) && is_of_uid(service, balancer);
}

Status not_owned(std::string what) {
  what += " does not bear this Service's tags";
  return Status(Code::failed_precondition, std::move(what)).with_reason("NotOwned");
}

bool is_made_target_group(const std::string& name, const Tags& tags, const Cluster& cluster) {
  const bool unmarked = clusters_of(tags).empty() && !tags.contains(kServiceTag);
  return unmarked ? name.starts_with("k8s-")
                  : of_cluster(tags, cluster) && tags.contains(kServiceTag);
}

Claim claim_of(const LoadBalancerService& service, const Marked& balancer, const Cluster& cluster) {
  if (is_owner(service, balancer, cluster)) return Claim::owner;
  if (of_cluster(balancer.tags, cluster) && balancer.tags.contains(guest_tag(service.uid))) {
    return Claim::owner;
  }
  if (!service.adopt_id.empty() && service.adopt_id == balancer.id) return Claim::takeover;
  const bool marked = of_cluster(balancer.tags, cluster) && balancer.tags.contains(kServiceTag);
  return marked && !service.id.empty() && service.id == balancer.id ? Claim::guest : Claim::none;
}

std::vector<std::string> other_users(const LoadBalancerService& service, const Marked& balancer) {
  std::vector<std::string> users;
  const std::string_view owner = tag_value(balancer.tags, kServiceTag);
  if (!owner.empty() && owner != service_key(service)) users.emplace_back(owner);
  for (auto tag = balancer.tags.lower_bound(kGuestTagPrefix);
       tag != balancer.tags.end() && tag->first.starts_with(kGuestTagPrefix); ++tag) {
    if (tag->first != guest_tag(service.uid)) users.push_back(tag->second);
  }
  return users;
}

}  // namespace ccm::aws

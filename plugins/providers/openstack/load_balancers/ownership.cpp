#include "ownership.hpp"

#include "annotations.hpp"

#include <ccm/asked_address.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr std::string_view kManagedName = "kube_service_";
constexpr std::string_view kMark = "ccm-service:";

bool is_managed_name(const std::string& tag) { return tag.starts_with(kManagedName); }
bool is_mark(const std::string& tag) { return tag.starts_with(kMark); }
bool is_managers(const std::string& tag) {
  return is_managed_name(tag) || is_mark(tag) || !cluster_in_tag(tag).empty();
}

// Its users' names: the tags, and without any the load balancer's own name (OS-227).
std::vector<std::string> user_names(const ExistingLoadBalancer& balancer) {
  std::vector<std::string> names;
  std::copy_if(balancer.tags.begin(), balancer.tags.end(), std::back_inserter(names),
               &is_managed_name);
  if (names.empty() && is_managed_name(balancer.name)) names.push_back(balancer.name);
  return names;
}

bool contains(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

// A name that the Service had under another --cluster-name (OS-313).
bool is_older_name(const LoadBalancerService& service, const std::string& name) {
  return name.ends_with("_" + service.namespace_name + "_" + service.name);
}

// That name among the tags, if it is clear which one it is; else empty. Another cluster's Service
// of the same namespace and name may share the load balancer.
std::string older_name(const LoadBalancerService& service, const std::vector<std::string>& tags) {
  if (contains(tags, load_balancer_name(service))) return {};
  std::string found;
  for (const std::string& tag : tags) {
    if (!is_managed_name(tag) || !is_older_name(service, tag)) continue;
    if (!found.empty()) return {};
    found = tag;
  }
  return found;
}

// Whether a listener's name is the Service's older one: the load balancer has that name for the
// Service, or for nobody any more. Else another cluster's Service of that name is there, too.
bool is_renamed(const std::string& older, const std::string& was,
                const ExistingLoadBalancer& balancer) {
  return !older.empty() && (older == was || !balancer.tagged(older));
}

bool some_name_is_unmarked(const ExistingLoadBalancer& balancer,
                           const std::vector<std::string>& names) {
  const auto marks = std::count_if(balancer.tags.begin(), balancer.tags.end(), &is_mark);
  return static_cast<std::size_t>(marks) < names.size();
}

}  // namespace

bool name_needs_proof(const LoadBalancerService& service, const ExistingLoadBalancer& balancer) {
  const auto names = user_names(balancer);
  return some_name_is_unmarked(balancer, names) &&
         std::any_of(names.begin(), names.end(), [&](const std::string& name) {
           return name == load_balancer_name(service) || is_older_name(service, name);
         });
}

// A host name is what the user's annotation says, or said.
bool status_shows(const LoadBalancerService& service, const ExistingLoadBalancer& balancer,
                  const std::string& floating_address) {
  bool found = false;
  service.object.at("/status/loadBalancer/ingress").each([&](std::string_view, const Value& value) {
    const std::string_view ip = value.text("/ip");
    const bool same = !ip.empty() && (ip == balancer.vip_address || ip == floating_address);
    found = found || (same && !asks_for_address(service, ip, annotation::kLoadBalancerAddress));
  });
  return found;
}

Claim claim_of(const LoadBalancerService& service, const ExistingLoadBalancer& balancer,
               bool this_clusters) {
  if (balancer.tagged(service_mark(service))) return Claim::owner;
  if (!service.default_name.empty() && balancer.name == service.default_name) return Claim::owner;
  if (this_clusters && name_needs_proof(service, balancer)) return Claim::owner;
  const auto names = user_names(balancer);
  if (service.adopt_id == balancer.id && !balancer.id.empty()) return Claim::takeover;
  // Its name is marked for another, which has its place: that of the Service before it was
  // restored, or of another cluster of this name.
  if (contains(names, load_balancer_name(service))) return Claim::none;
  const bool of_this_cluster =
      std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        const auto user = service_in_name(name);
        return user && user->cluster == service.cluster_name;
      });
  return service.id == balancer.id && of_this_cluster ? Claim::guest : Claim::none;
}

std::optional<std::vector<MarkedService>> users_of_cluster(const ExistingLoadBalancer& balancer,
                                                           const std::string& cluster_name,
                                                           const std::string& cluster_uid) {
  bool of_others = false;
  for (const std::string& tag : balancer.tags) {
    const std::string_view uid = cluster_in_tag(tag);
    of_others = of_others || (!uid.empty() && !cluster_uid.empty() && uid != cluster_uid);
  }
  if (of_others && !balancer.tagged(cluster_mark(cluster_uid))) return std::nullopt;
  std::vector<MarkedService> users;
  for (const std::string& name : user_names(balancer)) {
    auto user = service_in_name(name);
    if (!user || user->cluster != cluster_name) return std::nullopt;
    users.push_back(*std::move(user));
  }
  return users;
}

bool made_by_a_manager(const ExistingLoadBalancer& balancer) {
  constexpr std::size_t kUidName = 32;  // OS-223
  const std::string& name = balancer.name;
  const bool of_uid = name.size() == kUidName && name.front() == 'a' &&
                      name.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_managed_name(name) || of_uid;
}

std::size_t other_users(const LoadBalancerService& service, const ExistingLoadBalancer& balancer) {
  const auto names = without_own_tags(service, user_names(balancer));
  const auto others = without_own_tags(service, balancer.tags);
  const auto marks = std::count_if(others.begin(), others.end(), &is_mark);
  return std::max(names.size(), static_cast<std::size_t>(marks));
}

std::vector<MarkedService> other_services(const LoadBalancerService& service,
                                          const ExistingLoadBalancer& balancer) {
  std::vector<MarkedService> others;
  for (const std::string& name : without_own_tags(service, user_names(balancer))) {
    if (auto user = service_in_name(name)) others.push_back(*std::move(user));
  }
  return others;
}

bool others_of_namespace(const LoadBalancerService& service, const ExistingLoadBalancer& balancer) {
  const auto others = other_services(service, balancer);
  return std::any_of(others.begin(), others.end(), [&](const MarkedService& user) {
    return user.namespace_name() == service.namespace_name;
  });
}

// A user's own load balancer is named after no Service, and others on it may be internal.
bool may_make_public(const LoadBalancerService& service, const ExistingLoadBalancer& balancer) {
  if (balancer.name == load_balancer_name(service)) return true;
  return is_managed_name(balancer.name) && !contains(user_names(balancer), balancer.name);
}

void claim_listeners(const LoadBalancerService& service, Claim claim,
                     ExistingLoadBalancer& balancer) {
  const std::string name = load_balancer_name(service);
  const bool managed = made_by_a_manager(balancer);
  const bool alone = other_users(service, balancer) == 0;
  const std::string was = older_name(service, balancer.tags);
  for (ExistingListener& listener : balancer.listeners) {
    const auto& tags = listener.tags;
    const bool marked = std::any_of(tags.begin(), tags.end(), &is_mark);
    const bool named = std::any_of(tags.begin(), tags.end(), &is_managed_name);
    if (claim == Claim::takeover) {
      listener.ours = managed || marked || named;
    } else if (marked) {
      listener.ours = contains(tags, service_mark(service));
    } else if (named) {
      listener.ours =
          contains(tags, name) ||
          (claim == Claim::owner && is_renamed(older_name(service, tags), was, balancer));
    } else {
      listener.ours = claim == Claim::owner && managed && (alone || balancer.name == name);
    }
  }
}

std::vector<std::string> with_own_tags(const LoadBalancerService& service, Claim claim,
                                       const ExistingLoadBalancer& balancer,
                                       const std::string& cluster_uid) {
  std::vector<std::string> tags = balancer.tags;
  if (claim == Claim::takeover) std::erase_if(tags, &is_managers);
  if (claim == Claim::owner) std::erase(tags, older_name(service, tags));
  if (claim == Claim::guest) {
    const auto names = user_names(balancer);
    tags.insert(tags.end(), names.begin(), names.end());
  }
  tags.push_back(load_balancer_name(service));
  tags.push_back(service_mark(service));
  if (!cluster_uid.empty()) tags.push_back(cluster_mark(cluster_uid));
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

std::vector<std::string> listener_tags(const WantedLoadBalancer& wanted,
                                       std::vector<std::string> tags) {
  if (wanted.takeover) std::erase_if(tags, &is_managers);
  if (std::any_of(tags.begin(), tags.end(), &is_managed_name) ||
      std::any_of(tags.begin(), tags.end(), &is_mark)) {
    return tags;
  }
  tags.insert(tags.end(), {wanted.name, wanted.mark});
  std::sort(tags.begin(), tags.end());
  return tags;
}

std::vector<std::string> without_own_tags(const LoadBalancerService& service,
                                          std::vector<std::string> tags) {
  const std::string name = load_balancer_name(service);
  const std::string mark = service_mark(service);
  const std::string older = older_name(service, tags);
  std::erase_if(tags, [&](const auto& tag) {
    return tag == name || tag == mark || tag == older || tag.empty();
  });
  const bool used = std::any_of(tags.begin(), tags.end(), [](const auto& tag) {
    return is_managed_name(tag) || is_mark(tag);
  });
  if (!used) std::erase_if(tags, [](const auto& tag) { return !cluster_in_tag(tag).empty(); });
  return tags;
}

Status may_share(const ExistingLoadBalancer& balancer, bool internal, int32_t most) {
  if (internal) {
    return Status(Code::failed_precondition, ErrorClass::invalid_spec,
                  "an internal Service cannot share a load balancer")
        .with_reason("LoadBalancerNotShared");
  }
  const auto users = static_cast<int64_t>(user_names(balancer).size());
  if (users + 1 <= most) return {};
  return Status(Code::resource_exhausted, ErrorClass::quota,
                "the load balancer already serves " + std::to_string(users) +
                    " Services, and [LoadBalancer] max-shared-lb in cloud.conf is " +
                    std::to_string(most))
      .with_reason("LoadBalancerNotShared");
}

}  // namespace ccm::openstack

#include "ownership.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace ccm::openstack {
namespace {

constexpr std::string_view kManagedName = "kube_service_";
constexpr std::string_view kMark = "ccm-service:";

bool is_managed_name(const std::string& tag) { return tag.starts_with(kManagedName); }
bool is_mark(const std::string& tag) { return tag.starts_with(kMark); }

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

// "203.0.113.4.nip.io" shows 203.0.113.4.
bool shows(std::string_view shown, const std::string& address) {
  return !address.empty() && shown.starts_with(address) &&
         (shown.size() == address.size() || shown[address.size()] == '.');
}

bool in_status(const LoadBalancerService& service, const std::string& address) {
  bool found = false;
  service.object.at("/status/loadBalancer/ingress").each([&](std::string_view, const Value& value) {
    const bool same = !address.empty() && value.text("/ip") == address;
    found = found || same || shows(value.text("/hostname"), address);
  });
  return found;
}

}  // namespace

bool status_decides(const LoadBalancerService& service, const ExistingLoadBalancer& balancer) {
  if (claim_of(service, balancer) == Claim::owner) return false;
  const auto names = user_names(balancer);
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return is_older_name(service, name); });
}

Claim claim_of(const LoadBalancerService& service, const ExistingLoadBalancer& balancer,
               const std::string& floating_address) {
  if (balancer.tagged(service_mark(service))) return Claim::owner;
  if (!service.default_name.empty() && balancer.name == service.default_name) return Claim::owner;
  const auto names = user_names(balancer);
  const auto marks = std::count_if(balancer.tags.begin(), balancer.tags.end(), &is_mark);
  if (static_cast<std::size_t>(marks) < names.size()) {
    const bool recorded = service.id == balancer.id;
    if (recorded && contains(names, load_balancer_name(service))) return Claim::owner;
    const bool shown =
        in_status(service, balancer.vip_address) || in_status(service, floating_address);
    const bool named = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name == load_balancer_name(service) || is_older_name(service, name);
    });
    if (shown && named) return Claim::owner;
  }
  if (service.adopt_id == balancer.id && !balancer.id.empty()) return Claim::takeover;
  // Its name is marked for another, which has its place: that of the Service before it was
  // restored, or of another cluster of this name.
  if (contains(names, load_balancer_name(service))) return Claim::none;
  const std::string cluster = std::string(kManagedName) + service.cluster_name + "_";
  const bool of_this_cluster =
      std::any_of(names.begin(), names.end(),
                  [&](const std::string& name) { return name.starts_with(cluster); });
  return service.id == balancer.id && of_this_cluster ? Claim::guest : Claim::none;
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
                                       const ExistingLoadBalancer& balancer) {
  std::vector<std::string> tags = balancer.tags;
  if (claim == Claim::takeover) {
    std::erase_if(tags, [](const auto& tag) { return is_managed_name(tag) || is_mark(tag); });
  }
  if (claim == Claim::owner) std::erase(tags, older_name(service, tags));
  if (claim == Claim::guest) {
    const auto names = user_names(balancer);
    tags.insert(tags.end(), names.begin(), names.end());
  }
  tags.push_back(load_balancer_name(service));
  tags.push_back(service_mark(service));
  std::sort(tags.begin(), tags.end());
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  return tags;
}

std::vector<std::string> listener_tags(const WantedLoadBalancer& wanted,
                                       std::vector<std::string> tags) {
  if (wanted.takeover) {
    std::erase_if(tags, [](const auto& tag) { return is_managed_name(tag) || is_mark(tag); });
  }
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

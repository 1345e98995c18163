#include "failed_parts.hpp"

#include <algorithm>

namespace ccm::openstack {
namespace {

constexpr std::chrono::minutes kBetweenRepairs{10};

bool is_of_others(const ExistingLoadBalancer& balancer, const ExistingPool& pool) {
  const auto has_it = [&](const ExistingListener& each) { return each.pool_id == pool.id; };
  const auto& all = balancer.listeners;
  const auto ours = [&](const ExistingListener& each) { return each.ours && has_it(each); };
  return std::any_of(all.begin(), all.end(), has_it) && std::none_of(all.begin(), all.end(), ours);
}

}  // namespace

std::string failed_parts(const ExistingLoadBalancer& balancer, bool ours_alone) {
  std::string text;
  const auto add = [&](bool failed, const std::string& part) {
    if (failed) text += (text.empty() ? "" : ", ") + part;
  };
  for (const ExistingListener& listener : balancer.listeners) {
    if (ours_alone && !listener.ours) continue;
    add(listener.failed(), "listener of port " + std::to_string(listener.port));
  }
  for (const ExistingPool& pool : balancer.pools) {
    if (ours_alone && is_of_others(balancer, pool)) continue;
    add(pool.failed(), "pool " + pool.name);
    add(!pool.failed_members.empty(), "members of pool " + pool.name);
    add(pool.monitor_failed, "health monitor of pool " + pool.name);
  }
  return text;
}

std::string in_brackets(const std::string& text) { return text.empty() ? text : " (" + text + ")"; }

Status not_applied(const ExistingLoadBalancer& balancer, const std::string& failed) {
  return Status(Code::unavailable, ErrorClass::unavailable,
                "Octavia could not change parts of load balancer " + balancer.id +
                    in_brackets(failed) +
                    ", which are in the state ERROR. They are written again every 10 minutes")
      .with_reason("LoadBalancerError");
}

bool Repairs::begin(const std::string& balancer_id) {
  const auto now = host_.timer.now();
  const auto [place, first] = last_.try_emplace(balancer_id, now);
  if (!first && now - place->second < kBetweenRepairs) return false;
  place->second = now;
  return true;
}

}  // namespace ccm::openstack

#include "group_users.hpp"

namespace ccm::aws {

Task<Result<std::set<std::string>>> GroupUsers::groups_of_others(Ctx ctx, std::string id) {
  std::set<std::string> groups;
  const auto networks = co_await elbv2_.list(ctx, kKnown);
  if (!networks.ok()) co_return networks.status();
  for (const auto& [name, balancer] : (*networks)->by_name) {
    if (balancer.type != "network" || name == id || balancer.arn == id) continue;
    if (going_.contains(balancer.arn)) continue;
    groups.insert(balancer.groups.begin(), balancer.groups.end());
  }
  const auto classics = co_await elb_.list(ctx, kKnown);
  if (!classics.ok()) co_return classics.status();
  for (const auto& [name, balancer] : **classics) {
    if (name == id || going_.contains(name)) continue;
    groups.insert(balancer.groups.begin(), balancer.groups.end());
  }
  co_return groups;
}

}  // namespace ccm::aws

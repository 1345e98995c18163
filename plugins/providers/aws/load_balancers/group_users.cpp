#include "group_users.hpp"

#include "node_groups.hpp"

#include <utility>

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

Task<Status> GroupUsers::close_nodes_to(Ctx ctx, std::string id, std::set<std::string> groups) {
  if (groups.empty()) co_return Status();
  const auto others = co_await groups_of_others(ctx, std::move(id));
  if (!others.ok()) co_return others.status();
  for (const std::string& other : *others) groups.erase(other);
  if (groups.empty()) co_return Status();
  const auto known = co_await groups_.list(ctx, kKnown);
  if (!known.ok()) co_return known.status();
  for (RuleChange& change : source_removals(groups, **known, cluster_)) {
    Status applied = co_await groups_.apply(ctx, std::move(change));
    if (!applied.ok()) co_return applied;
  }
  co_return Status();
}

}  // namespace ccm::aws

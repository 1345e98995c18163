#include "group_users.hpp"

#include "node_groups.hpp"
#include "ownership.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

// One whose tags are not known yet may be anybody's: it was made a moment ago, by this process most
// likely.
void add_user(SourceUsers& users, const std::vector<std::string>& groups, const TagsByOwner& tags,
              const std::string& owner) {
  const auto of = tags.find(owner);
  std::set<std::string> clusters{""};
  if (of != tags.end()) clusters = clusters_of(of->second);
  for (const std::string& group : groups) {
    users.clusters[group].insert(clusters.begin(), clusters.end());
  }
}

// A classic one that this process has just made does not show its VPC.
bool is_elsewhere(const std::string& vpc_id, const Cluster& cluster) {
  return !vpc_id.empty() && vpc_id != cluster.vpc_id;
}

}  // namespace

Task<Result<SourceUsers>> GroupUsers::others(Ctx ctx, std::string id) {
  SourceUsers users{cluster_.tag(), {}};
  const auto networks = co_await elbv2_.list(ctx, kKnown);
  if (!networks.ok()) co_return networks.status();
  const auto network_tags = co_await network_tags_.get(ctx, kKnown);
  if (!network_tags.ok()) co_return network_tags.status();
  for (const auto& [name, balancer] : (*networks)->by_name) {
    if (balancer.type != "network" || name == id || balancer.arn == id) continue;
    if (is_elsewhere(balancer.vpc_id, cluster_) || going_.contains(balancer.arn)) continue;
    add_user(users, balancer.groups, **network_tags, balancer.arn);
  }
  const auto classics = co_await elb_.list(ctx, kKnown);
  if (!classics.ok()) co_return classics.status();
  const auto classic_tags = co_await classic_tags_.get(ctx, kKnown);
  if (!classic_tags.ok()) co_return classic_tags.status();
  for (const auto& [name, balancer] : **classics) {
    if (name == id || is_elsewhere(balancer.vpc_id, cluster_) || going_.contains(name)) continue;
    add_user(users, balancer.groups, **classic_tags, name);
  }
  co_return users;
}

Task<Status> GroupUsers::read_who_checks(Ctx ctx, const LoadBalancerService& service,
                                         std::string id, std::set<std::string> ports,
                                         std::set<std::string>& keys) {
  if (ports.empty()) co_return Status();
  const auto all = co_await elbv2_.groups(ctx, kKnown);
  if (!all.ok()) co_return all.status();
  const auto tags = co_await network_tags_.get(ctx, kKnown);
  if (!tags.ok()) co_return tags.status();
  const auto balancers = co_await elbv2_.list(ctx, kKnown);
  if (!balancers.ok()) co_return balancers.status();
  std::set<std::string> written;  // port, subnets, and whether groups do in place of such a rule
  for (const auto& [arn, group] : **all) {
    if (!ports.contains(group.health.port)) continue;
    for (const std::string& user : group.balancers) {
      const NetworkBalancer* balancer = (*balancers)->find(user);
      const auto of = (*tags)->find(user);
      if (user == id || balancer == nullptr || of == (*tags)->end()) continue;
      if (!of_cluster(of->second, cluster_)) continue;
      auto others = other_users(service, {user, balancer->name, of->second});
      std::string rules = group.health.port + (balancer->groups.empty() ? "" : " groups");
      for (const std::string& subnet : balancer->subnets) rules += " " + subnet;
      if (others.empty() || !written.insert(std::move(rules)).second) continue;
      keys.insert(others.begin(), others.end());
    }
  }
  co_return Status();
}

Task<Status> GroupUsers::apply(Ctx ctx, const LoadBalancerService& service, std::string id,
                               std::vector<RuleChange> changes) {
  std::set<std::string> keys;
  auto closed = closed_checks(changes);
  Status read = co_await read_who_checks(ctx, service, std::move(id), std::move(closed), keys);
  if (!read.ok()) co_return read;
  Status applied = co_await groups_.apply_all(ctx, std::move(changes));
  if (!applied.ok()) co_return applied;
  for (const std::string& key : keys) {
    const std::string space = key.substr(0, key.find('/'));
    hints_.load_balancer_changed(space, key.substr(std::min(space.size() + 1, key.size())));
  }
  co_return Status();
}

Task<Status> GroupUsers::close_nodes_to(Ctx ctx, std::string id, std::set<std::string> groups) {
  if (groups.empty()) co_return Status();
  const auto users = co_await others(ctx, std::move(id));
  if (!users.ok()) co_return users.status();
  const auto known = co_await groups_.list(ctx, kKnown);
  if (!known.ok()) co_return known.status();
  auto changes = source_removals(groups, *users, **known, cluster_);
  Status closed = co_await groups_.apply_all(ctx, std::move(changes));
  co_return closed;
}

}  // namespace ccm::aws

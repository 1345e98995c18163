#include "removal.hpp"

#include "aws/api/error.hpp"
#include "node_groups.hpp"

#include <ccm/hexadecimal.hpp>

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kNone{0};
constexpr std::chrono::milliseconds kGroupPause{5'000};
constexpr std::chrono::milliseconds kLongestGroupPause{300'000};
constexpr std::size_t kMostInUse = 1'000;
constexpr std::chrono::milliseconds kShortPause{1'000};

Status still_used(std::string what, std::chrono::milliseconds pause) {
  return Status(Code::unavailable, ErrorClass::waiting, what.append(" is still in use"))
      .with_reason("CloudBusy")
      .with_retry_after(pause);
}

bool serves(const TargetGroup& group, const std::string& balancer_arn) {
  const auto& of = group.balancers;
  return std::find(of.begin(), of.end(), balancer_arn) != of.end();
}

}  // namespace

// The rules go first: when a later step fails, nothing in the Nodes' groups is left open.
Task<Status> Removal::remove_all(Ctx ctx, const LoadBalancerService& service) {
  auto own = co_await own_group_ids(ctx, service);
  if (!own.ok()) co_return own.status();
  Status gone = co_await remove_rules(ctx, service, load_balancer_name(service.uid), *own);
  if (gone.ok()) gone = co_await remove_network(ctx, service);
  if (gone.ok()) gone = co_await remove_orphan_groups(ctx, service);
  if (gone.ok()) gone = co_await remove_classic(ctx, service);
  if (gone.ok()) gone = co_await remove_groups(ctx, *own);
  if (!gone.ok() || service.id.empty()) co_return gone;
  const bool arn = service.id.starts_with("arn:");
  auto search = arn ? finder_.find_network(ctx, service) : finder_.find_classic(ctx, service);
  const auto left = co_await std::move(search);
  if (!left.ok()) co_return left.status();
  const bool other_type = left->network && left->network->type != "network";  // never the manager's
  const bool named = left->any() && !other_type && left->id() == service.id;
  co_return named && left->claim == Claim::none ? not_owned("load balancer " + service.id)
                                                : Status();
}

Result<std::vector<std::string>> Removal::own_names(const LoadBalancerService& service) const {
  const auto digest = host_.crypto.sha256(managed_group_seed(service));
  if (!digest.ok()) return digest.status();
  return std::vector<std::string>{classic_group_name(load_balancer_name(service.uid)),
                                  managed_group_name(service, hexadecimal(*digest))};
}

// Groups with the cluster's tag, or the old one, alone: others may have had such a name before
// (AWS-95).
Task<Result<std::vector<std::string>>> Removal::own_group_ids(Ctx ctx,
                                                              const LoadBalancerService& service) {
  const auto names = own_names(service);
  if (!names.ok()) co_return names.status();
  const auto groups = co_await groups_.list(ctx, kNone);
  if (!groups.ok()) co_return groups.status();
  std::vector<std::string> ids;
  for (const auto& [id, group] : **groups) {
    const bool ours = made_for_cluster(group.tags, cluster_);
    const bool named = std::find(names->begin(), names->end(), group.name) != names->end();
    if (ours && named) ids.push_back(id);
  }
  co_return ids;
}

Task<Status> Removal::remove_rules(Ctx ctx, const LoadBalancerService& service, std::string mark,
                                   std::vector<std::string> own) {
  if (settings_.disable_security_group_ingress) co_return Status();  // AWS-18
  const auto groups = co_await groups_.list(ctx, kKnown);
  if (!groups.ok()) co_return groups.status();
  SourceUsers others;
  if (bears_group_rules(**groups, mark, own)) {
    auto users = co_await users_.others(ctx, mark);
    if (!users.ok()) co_return users.status();
    others = *std::move(users);
  }
  auto changes = removal_changes(mark, own, others, **groups);
  Status closed = co_await users_.apply(ctx, service, mark, std::move(changes));
  co_return closed;
}

std::set<std::string> Removal::groups_to_close(const std::vector<std::string>& ids) const {
  if (settings_.disable_security_group_ingress) return {};
  return {ids.begin(), ids.end()};
}

Task<Status> Removal::remove_groups(Ctx ctx, std::vector<std::string> ids) {
  for (const std::string& id : ids) {
    Status gone = co_await groups_.remove(ctx, id);
    if (gone.error_class() == ErrorClass::conflict) {
      if (in_use_.size() >= kMostInUse) in_use_.clear();
      auto& pause = in_use_[id];
      pause = std::clamp(2 * pause, kGroupPause, kLongestGroupPause);
      co_return still_used("security group " + id, pause);
    }
    if (!gone.ok()) co_return gone;
    in_use_.erase(id);
  }
  co_return Status();
}

// Its target groups are read before: afterwards nothing says whose they were.
Task<Status> Removal::delete_network(Ctx ctx, NetworkBalancer balancer) {
  const auto groups = co_await elbv2_.groups(ctx, kNone);
  if (!groups.ok()) co_return groups.status();
  std::vector<std::string> arns;
  for (const auto& [arn, group] : **groups) {
    if (serves(group, balancer.arn)) arns.push_back(arn);
  }
  const auto tags = co_await elbv2_.tags(ctx, std::move(arns));
  if (!tags.ok()) co_return tags.status();
  users_.goes(balancer.arn);
  Status gone = co_await users_.close_nodes_to(ctx, balancer.arn, groups_to_close(balancer.groups));
  if (gone.ok()) gone = co_await elbv2_.delete_balancer(ctx, balancer);
  users_.gone_or_not(balancer.arn);
  if (!gone.ok()) co_return gone;
  for (const auto& [arn, of] : *tags) {
    const auto listed = (*groups)->find(arn);
    if (listed == (*groups)->end()) continue;
    const TargetGroup& group = listed->second;
    if (!is_made_target_group(group.name, of, cluster_)) continue;
    Status deleted = co_await elbv2_.delete_group(ctx, arn);
    if (deleted.error_class() == ErrorClass::conflict) {
      co_return still_used("target group " + group.name, kShortPause);
    }
    if (!deleted.ok()) co_return deleted;
  }
  finder_.network_tags().edit([arn = balancer.arn](TagsByOwner& known) { known.erase(arn); });
  co_return Status();
}

Task<Status> Removal::remove_network(Ctx ctx, const LoadBalancerService& service) {
  const auto all = co_await elbv2_.list(ctx, kNone);
  if (!all.ok()) co_return all.status();
  for (const auto& [name, balancer] : (*all)->by_name) {
    if (balancer.vpc_id != cluster_.vpc_id || balancer.type != "network") continue;
    const auto now = co_await elbv2_.list(ctx, kKnown);
    if (now.ok() && !(*now)->by_name.contains(name)) continue;  // another Service's deletion
    auto tags = co_await finder_.tags_of(ctx, Api::elbv2, balancer.arn);
    if (!tags.ok()) co_return tags.status();
    Found found{balancer, std::nullopt, *std::move(tags), Claim::none};
    found.claim = claim_of(service, found.marked(), cluster_);
    if (found.claim != Claim::owner) continue;
    const bool whole = other_users(service, found.marked()).empty();
    auto removal = whole ? delete_network(ctx, balancer) : leave_network(ctx, service, found);
    Status gone = co_await std::move(removal);
    if (!gone.ok()) co_return gone;
  }
  co_return Status();
}

// The Service's own listeners go, then its mark. When its owner leaves, a guest becomes the owner.
Task<Status> Removal::leave_network(Ctx ctx, const LoadBalancerService& service, Found found) {
  const std::string arn = found.network->arn;
  std::set<std::string> own;
  Status shares = co_await finder_.own_target_groups(ctx, service, arn, own);
  if (!shares.ok()) co_return shares;
  std::vector<Listener> listeners;
  Status read = co_await elbv2_.listeners(ctx, arn, listeners);
  if (!read.ok()) co_return read;
  for (const Listener& listener : listeners) {
    if (!own.contains(listener.target_group)) continue;
    Status gone = co_await elbv2_.delete_listener(ctx, listener.arn);
    if (gone.ok()) gone = co_await elbv2_.delete_group(ctx, listener.target_group);
    if (!gone.ok()) co_return gone;
  }
  const std::string own_mark = guest_tag(service.uid);
  std::vector<std::string> marks;
  if (found.tags.contains(own_mark)) marks.push_back(own_mark);
  if (is_owner(service, found.marked(), cluster_)) {
    auto heir = found.tags.lower_bound(kGuestTagPrefix);
    if (heir->first == own_mark) ++heir;  // other_users() has one, and it is not the owner
    marks.push_back(heir->first);
    const Tags owner{{std::string(kServiceTag), heir->second},
                     {std::string(kServiceUidTag), heir->first.substr(kGuestTagPrefix.size())}};
    std::vector<std::string> arns{arn};
    Status handed = co_await elbv2_.add_tags(ctx, std::move(arns), owner);
    if (!handed.ok()) co_return handed;
  }
  Status unmarked;
  for (const std::string& mark : marks) {
    if (unmarked.ok()) unmarked = co_await elbv2_.remove_tag(ctx, arn, mark);
  }
  finder_.network_tags().forget();
  co_return unmarked;
}

Task<Result<Elbv2::Groups>> Removal::tagged_orphans(Ctx ctx, const LoadBalancerService& service) {
  const auto groups = co_await elbv2_.groups(ctx, kKnown / 3);
  if (!groups.ok()) co_return groups.status();
  const std::string prefix = target_group_prefix(service);
  std::vector<std::string> arns;
  for (const auto& [arn, group] : **groups) {
    if (group.vpc_id != cluster_.vpc_id || !group.balancers.empty()) continue;
    if (group.name.starts_with(prefix)) arns.push_back(arn);
  }
  Elbv2::Groups orphans;
  if (arns.empty()) co_return orphans;
  const auto tags = co_await elbv2_.tags(ctx, std::move(arns));
  if (!tags.ok()) co_return tags.status();
  for (const auto& [arn, of] : *tags) {
    if (has_both_tags(service, of, cluster_)) orphans[arn] = (*groups)->find(arn)->second;
  }
  co_return orphans;
}

Task<Status> Removal::remove_orphan_groups(Ctx ctx, const LoadBalancerService& service) {
  const auto orphans = co_await tagged_orphans(ctx, service);
  if (!orphans.ok()) co_return orphans.status();
  for (const auto& [arn, group] : *orphans) {
    Status gone = co_await elbv2_.delete_group(ctx, arn);
    if (gone.error_class() == ErrorClass::conflict) {
      co_return still_used("target group " + group.name, kShortPause);
    }
    if (!gone.ok()) co_return gone;
  }
  co_return Status();
}

Task<Status> Removal::delete_classic(Ctx ctx, std::string name) {
  const auto all = co_await elb_.list(ctx, kKnown);
  if (!all.ok()) co_return all.status();
  const auto balancer = (*all)->find(name);
  Status gone;
  users_.goes(name);
  if (balancer != (*all)->end()) {
    gone = co_await users_.close_nodes_to(ctx, name, groups_to_close(balancer->second.groups));
  }
  if (gone.ok()) gone = co_await elb_.delete_balancer(ctx, name);
  users_.gone_or_not(name);
  if (!gone.ok()) co_return gone;
  finder_.classic_tags().edit([name](TagsByOwner& known) { known.erase(name); });
  co_return Status();
}

Task<Status> Removal::remove_classic(Ctx ctx, const LoadBalancerService& service) {
  const auto all = co_await elb_.list(ctx, kNone);
  if (!all.ok()) co_return all.status();
  for (const auto& [name, balancer] : **all) {
    if (balancer.vpc_id != cluster_.vpc_id) continue;
    const auto now = co_await elb_.list(ctx, kKnown);
    if (now.ok() && !(*now)->contains(name)) continue;  // another Service's deletion
    auto tags = co_await finder_.tags_of(ctx, Api::elb, name);
    if (!tags.ok()) co_return tags.status();
    if (claim_of(service, {name, name, *tags}, cluster_) != Claim::owner) continue;
    Status gone = co_await delete_classic(ctx, name);
    if (!gone.ok()) co_return gone;
  }
  co_return Status();
}

}  // namespace ccm::aws

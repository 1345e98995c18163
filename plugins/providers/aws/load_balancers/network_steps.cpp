#include "network_steps.hpp"

#include "aws/api/error.hpp"
#include "ownership.hpp"

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

bool has_name(const Elbv2::Groups& groups, const std::string& name) {
  return std::any_of(groups.begin(), groups.end(),
                     [&](const auto& group) { return group.second.name == name; });
}

Status not_shown_yet() {
  return Status(Code::unavailable, ErrorClass::waiting, "AWS does not show the tags yet");
}

}  // namespace

Task<Status> NetworkSteps::make_managed_group(Ctx ctx, NetworkSubject& subject) {
  SecurityGroup wish{subject.managed_id, subject.managed_group,
                     std::string(kManagedGroupDescription), subject.group_tags,
                     front_rules(wanted_of(subject), subject.clients)};
  return groups_.settle(std::move(ctx), std::move(wish), subject.managed_id);
}

// AWS answers a creation with one that is there, whoever made it, when name and settings agree. A
// name that is made of the UID is nobody else's.
Task<Status> NetworkSteps::check_made(Ctx ctx, const NetworkSubject& subject,
                                      const NetworkBalancer& made) {
  std::vector<std::string> arns{made.arn};
  const auto tags = co_await elbv2_.tags(ctx, std::move(arns));
  if (!tags.ok()) co_return tags.status();
  const auto of = tags->find(made.arn);
  if (of == tags->end()) {  // not heard of yet (AWS-167)
    co_return not_shown_yet();
  }
  const Marked marked{made.arn, made.name, of->second};
  if (claim_of(subject.service, marked, cluster_) == Claim::owner) co_return Status();
  co_return not_owned("load balancer " + made.name);
}

Task<Status> NetworkSteps::make_balancer(Ctx ctx, NetworkSubject& subject) {
  NetworkCreation wish;
  wish.name = subject.name;
  wish.internal = subject.options.internal;
  wish.dual_stack = subject.options.dual_stack;
  for (const NetworkSubject::Port& port : subject.ports) {
    wish.udp = wish.udp || port.wanted.protocol.ends_with("UDP");
  }
  wish.subnets = subject.subnets;
  wish.allocations = subject.options.allocations;
  wish.private_addresses = subject.options.private_addresses;
  wish.groups = subject.own_groups;
  if (!subject.managed_id.empty() && wish.groups.empty()) wish.groups = {subject.managed_id};
  wish.tags = subject.tags;
  auto made = co_await elbv2_.create(ctx, std::move(wish));
  if (!made.ok()) co_return made.status();
  if (subject.name != subject.mark) {
    Status own = co_await check_made(ctx, subject, *made);
    if (!own.ok()) co_return own;
  }
  subject.balancer = *std::move(made);
  const Tags changed = new_attributes(subject);
  if (changed.empty()) co_return Status();
  Status set = co_await elbv2_.modify_attributes(ctx, subject.balancer.arn, changed);
  co_return set;
}

// One of that name is a leftover of the Service's own, or somebody else's.
Task<Status> NetworkSteps::take_over_group(Ctx ctx, NetworkSubject& subject,
                                           NetworkSubject::Port& port) {
  const auto groups = co_await elbv2_.groups(ctx, std::chrono::milliseconds(0));
  if (!groups.ok()) co_return groups.status();
  const std::string& name = port.wanted.group.name;
  const auto found = std::find_if((*groups)->begin(), (*groups)->end(),
                                  [&](const auto& group) { return group.second.name == name; });
  if (found == (*groups)->end()) co_return Status();
  std::vector<std::string> arns{found->first};
  const auto tags = co_await elbv2_.tags(ctx, std::move(arns));
  if (!tags.ok()) co_return tags.status();
  const auto of = tags->find(found->first);
  if (of == tags->end()) {
    co_return not_shown_yet();
  }
  const bool ours = found->second.vpc_id == cluster_.vpc_id &&
                    has_both_tags(subject.service, of->second, cluster_);
  if (!ours) co_return not_owned("target group " + name);
  port.group = found->first;
  const TargetGroup group = found->second;
  if (!differs(port.wanted.group.health, group.health)) co_return Status();
  Status changed = co_await elbv2_.modify_health(ctx, group, port.wanted.group.health);
  co_return changed;
}

// AWS answers a creation with a group that is there when all of it agrees, whatever its tags: one
// that is listed is looked at first.
Task<Status> NetworkSteps::make_group(Ctx ctx, NetworkSubject& subject,
                                      NetworkSubject::Port& port) {
  const std::string& name = port.wanted.group.name;
  const auto known = co_await elbv2_.groups(ctx, kAgeToMake);
  if (!known.ok()) co_return known.status();
  Status taken;
  if (has_name(**known, name)) taken = co_await take_over_group(ctx, subject, port);
  if (!taken.ok()) co_return taken;
  if (port.group.empty()) {
    auto made = co_await elbv2_.create_group(ctx, port.wanted.group, cluster_.vpc_id, subject.tags);
    if (made.ok()) {
      port.group = made->arn;
    } else if (has_code(made.status(), "DuplicateTargetGroupName")) {
      taken = co_await take_over_group(ctx, subject, port);
    } else {
      co_return made.status();
    }
  }
  if (!taken.ok()) co_return taken;
  if (port.group.empty()) {
    co_return Status(Code::aborted, "target group " + name + " is there and is not listed");
  }
  const Tags changed = new_group_attributes(subject);
  if (changed.empty()) co_return Status();
  Status set = co_await elbv2_.modify_group_attributes(ctx, port.group, changed);
  co_return set;
}

Task<Status> NetworkSteps::drop_group(Ctx ctx, std::string arn) {
  const auto groups = co_await elbv2_.groups(ctx, kAgeToMake);
  if (!groups.ok()) co_return groups.status();
  const auto group = (*groups)->find(arn);
  if (group == (*groups)->end()) co_return Status();
  std::vector<std::string> arns{arn};
  const auto tags = co_await elbv2_.tags(ctx, std::move(arns));
  if (!tags.ok()) co_return tags.status();
  const auto of = tags->find(arn);
  if (of == tags->end() || !is_made_target_group(group->second.name, of->second, cluster_)) {
    co_return Status();
  }
  Status gone = co_await elbv2_.delete_group(ctx, arn);
  co_return gone;
}

Task<Status> NetworkSteps::register_all(Ctx ctx, NetworkSubject& subject,
                                        NetworkSubject::Port& port) {
  return elbv2_.register_targets(std::move(ctx), port.group, subject.targets.running,
                                 subject.refused);
}

Task<Status> NetworkSteps::make_listener(Ctx ctx, NetworkSubject& subject,
                                         NetworkSubject::Port& port) {
  if (port.existing) {
    const bool compared = port.existing->protocol == "TLS";  // by plan_certificates()
    Status changed = co_await elbv2_.modify_listener(ctx, subject.balancer.arn, port.existing->arn,
                                                     port.wanted, port.group);
    if (!changed.ok() || compared) co_return changed;
  } else {
    auto made = co_await elbv2_.create_listener(ctx, subject.balancer.arn, port.wanted, port.group,
                                                subject.tags);
    if (!made.ok()) co_return made.status();
    port.existing = *std::move(made);
  }
  if (port.wanted.certificates.size() < 2) co_return Status();
  const std::vector<std::string> more(port.wanted.certificates.begin() + 1,
                                      port.wanted.certificates.end());
  for (const std::string& certificate : more) {
    Status added = co_await elbv2_.change_certificates(ctx, port.existing->arn, certificate, true);
    if (!added.ok()) co_return added;
  }
  co_return Status();
}

Task<Status> NetworkSteps::leave_ipv6(Ctx ctx, NetworkSubject& subject) {
  Status left = co_await elbv2_.set_address_type(ctx, subject.balancer, false);
  subject.balancer.dual_stack = !left.ok();
  subject.leaves_ipv6 = left.ok();
  if (left.ok() || !Plan::is_final(left)) co_return left;
  subject.problems.push_back(
      {"ChangeRefused", "IP address type: " + left.message() +
                            ". Its clients of IPv6 get no answer, and checks of their ports fail"});
  co_return Status();
}

Task<Status> NetworkSteps::change_node_rules(Ctx ctx, NetworkSubject& subject, bool removals) {
  const auto groups = co_await groups_.list(ctx, subject.exists ? kKnown : kAgeToMake);
  if (!groups.ok()) co_return groups.status();
  auto changes = node_changes_of(subject, **groups, cluster_);
  for (RuleChange& change : changes) (removals ? change.add : change.remove).clear();
  Status applied =
      co_await users_.apply(ctx, subject.service, subject.balancer.arn, std::move(changes));
  co_return applied;
}

}  // namespace ccm::aws

#include "classic_plan.hpp"

#include "aws/api/error.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ccm::aws {
namespace {

// The groups that it is to have. The own one comes first (AWS-89).
std::vector<std::string> wanted_groups(const ClassicSubject& subject) {
  std::vector<std::string> ids = subject.named_groups;
  if (!subject.own_id.empty()) ids.insert(ids.begin(), subject.own_id);
  const auto& extra = subject.options.extra_security_groups;
  ids.insert(ids.end(), extra.begin(), extra.end());
  return ids;
}

std::set<std::string> as_set(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

std::map<std::string, std::string, std::less<>> zones_of(const Network& network) {
  std::map<std::string, std::string, std::less<>> zones;
  for (const Subnet& subnet : network.subnets) zones[subnet.id] = subnet.zone;
  return zones;
}

// What the Nodes see of it: their ports.
std::vector<WantedListener> listeners_of(const ClassicSubject& subject) {
  std::vector<WantedListener> listeners;
  for (const auto& [port, listener] : subject.wanted.listeners) {
    WantedListener& wanted = listeners.emplace_back();
    wanted.protocol = "TCP";
    wanted.group.port = listener.instance_port;
    wanted.group.health.port = subject.options.health.port;
    wanted.own_health_port = subject.options.own_health_port;
  }
  return listeners;
}

// The attributes, which no listing shows. Empty: the usual ones.
std::string unlisted_options(const ClassicAttributes& wanted) {
  if (wanted == ClassicAttributes()) return {};
  std::string text;
  if (wanted.access_log) {
    text += "log " + std::to_string(wanted.emit_interval) + " " + wanted.bucket + " " +
            wanted.prefix + "\n";
  }
  if (wanted.draining) text += "draining " + std::to_string(wanted.draining_timeout) + "\n";
  text += "idle " + std::to_string(wanted.idle_timeout) + "\n";
  if (wanted.cross_zone) text += "cross-zone\n";
  return text;
}

// What is to be set on each listener that ends TLS (AWS-84).
std::vector<int64_t> listeners_without_policy(const ClassicSubject& subject) {
  std::vector<int64_t> ports;
  if (subject.wanted.ssl_policy.empty()) return ports;
  const std::string policy = ssl_policy_name(subject.wanted.ssl_policy);
  for (const auto& [port, listener] : subject.wanted.listeners) {
    if (!listener.ends_tls()) continue;
    const auto existing = subject.balancer.listeners.find(port);
    const bool same = existing != subject.balancer.listeners.end() && existing->second == listener;
    if (!same || !existing->second.policies.contains(policy)) ports.push_back(port);
  }
  return ports;
}

// The instance ports whose policies change, with those that they get (AWS-85).
std::map<int64_t, std::vector<std::string>> changed_port_policies(const ClassicSubject& subject) {
  std::map<int64_t, std::set<std::string>> policies = subject.balancer.port_policies;
  for (const int64_t port : subject.wanted.proxy_ports) policies.try_emplace(port);
  const std::string proxy(kProxyPolicy);
  std::map<int64_t, std::vector<std::string>> changed;
  for (auto& [port, names] : policies) {
    const bool wanted = subject.wanted.proxy_ports.contains(port);
    if (names.contains(proxy) == wanted) continue;
    if (wanted) {
      names.insert(proxy);
    } else {
      names.erase(proxy);
    }
    changed[port] = {names.begin(), names.end()};
  }
  return changed;
}

}  // namespace

// The groups that it has, as if the Service named them.
void ClassicPlanner::keep_groups(ClassicSubject& subject) const {
  const SecurityGroup* own = own_group(*subject.groups, classic_group_name(subject.name), cluster_);
  std::vector<std::string> has = subject.balancer.groups;
  const bool has_own = own != nullptr && std::erase(has, own->id) > 0;
  auto& extra = subject.options.extra_security_groups;
  (has_own ? subject.named_groups : extra).clear();
  (has_own ? extra : subject.named_groups) = std::move(has);
}

Status ClassicPlanner::choose_security_groups(ClassicSubject& subject) const {
  const ServiceOptions& options = subject.options;
  subject.named_groups = options.security_groups;
  if (subject.named_groups.empty() && !settings_.elb_security_group.empty()) {
    subject.named_groups = {settings_.elb_security_group};
  }
  const auto& has = subject.balancer.groups;
  Status known = check_groups(*subject.groups, subject.named_groups, has);
  if (known.ok()) known = check_groups(*subject.groups, options.extra_security_groups, has);
  // The groups that stay may be its own, which get a rule for each range.
  if (!known.ok() && (!subject.exists || too_many_rules(subject))) return known;
  if (!known.ok()) {
    tell_of_kept_groups(subject, known);
    keep_groups(subject);
  }
  if (!subject.named_groups.empty()) {
    const bool by_port = !options.security_groups.empty();
    if (by_port && !settings_.disable_security_group_ingress) tell_of_health_port(subject);
    if (!subject.service.source_ranges.empty()) {
      subject.add_problem("SourceRangesNotFollowed",
                          "loadBalancerSourceRanges have no effect on a classic load "
                          "balancer with security groups "
                          "that the manager did not make: the rules of " +
                              subject.named_groups.front() + " say who gets in");
    }
    return {};
  }
  subject.own_group = classic_group_name(subject.name);
  const SecurityGroup* found = own_group(*subject.groups, subject.own_group, cluster_);
  if (found == nullptr) return check_own_name(*subject.groups, subject.own_group, cluster_);
  subject.own_id = found->id;
  return {};
}

// By the scheme that it has: a public one never moves to private subnets (AWS-70, 135).
Status ClassicPlanner::choose_subnets_of(ClassicSubject& subject) const {
  const ServiceOptions& options = subject.options;
  if (subject.exists) tell_of_scheme(subject, subject.balancer.internal);
  const bool internal = subject.exists ? subject.balancer.internal : options.internal;
  const SubnetWish wish{options.subnets, internal, cluster_.tag(), settings_.subnet_id, false};
  const auto chosen = choose_subnets(*subject.network, wish);
  if (!chosen.ok()) return chosen.status();
  for (const Subnet& subnet : *chosen) subject.subnets.push_back(subnet.id);
  return {};
}

void ClassicPlanner::plan_own_group(ClassicSubject& subject) {
  if (subject.own_group.empty()) return;
  const auto found = subject.groups->find(subject.own_id);
  const Rules wanted = classic_front_rules(subject.wanted, subject.clients);
  const bool right = found != subject.groups->end() &&
                     exact_change(found->second, wanted).empty() &&
                     found->second.tags.contains(cluster_.tag());
  if (right) return;
  subject.plan.add("security group",
                   [this, s = &subject](Ctx ctx) { return make_own_group(std::move(ctx), *s); });
}

void ClassicPlanner::plan_groups(ClassicSubject& subject) {
  const bool unknown = !subject.own_group.empty() && subject.own_id.empty();
  if (!unknown && as_set(wanted_groups(subject)) == as_set(subject.balancer.groups)) return;
  subject.plan.add("security groups", [this, s = &subject](Ctx ctx) {
    return elb_.set_groups(std::move(ctx), s->balancer, wanted_groups(*s));
  });
}

void ClassicPlanner::plan_subnets(ClassicSubject& subject) {
  if (as_set(subject.subnets) == as_set(subject.balancer.subnets)) return;
  if (subnet_steps(subject.balancer.subnets, subject.subnets, zones_of(*subject.network)).empty()) {
    subject.add_problem(
        "SubnetsNotFollowed",
        "a load balancer in one zone cannot change to another subnet there: AWS lets it have two "
        "in a zone at no time. Name one of another zone as well until it has changed");
    return;
  }
  subject.plan.add("subnets",
                   [this, s = &subject](Ctx ctx) { return change_subnets(std::move(ctx), *s); });
}

void ClassicPlanner::plan_listeners(ClassicSubject& subject) {
  std::vector<int64_t> gone;
  std::vector<ClassicListener> missing;
  for (const auto& [port, listener] : subject.balancer.listeners) {
    const auto wanted = subject.wanted.listeners.find(port);
    const bool stays = wanted != subject.wanted.listeners.end() && wanted->second == listener;
    if (!stays) gone.push_back(port);
  }
  for (const auto& [port, listener] : subject.wanted.listeners) {
    const auto existing = subject.balancer.listeners.find(port);
    const bool there = existing != subject.balancer.listeners.end() && existing->second == listener;
    if (!there) missing.push_back(listener);
  }
  if (!gone.empty()) {
    subject.plan.add("listeners", [this, s = &subject, gone](Ctx ctx) {
      return elb_.delete_listeners(std::move(ctx), s->balancer, gone);
    });
  }
  if (!missing.empty()) {
    subject.plan.add("listeners", [this, s = &subject, missing](Ctx ctx) {
      return elb_.create_listeners(std::move(ctx), s->balancer, missing);
    });
  }
}

void ClassicPlanner::plan_policies(ClassicSubject& subject) {
  if (listeners_without_policy(subject).empty() && changed_port_policies(subject).empty()) return;
  subject.plan.add("policies",
                   [this, s = &subject](Ctx ctx) { return set_policies(std::move(ctx), *s); });
}

// Registered before others are taken away (AWS-94).
void ClassicPlanner::plan_instances(ClassicSubject& subject) {
  const Targets& targets = subject.targets;
  if (!targets.no_members.empty()) return;  // those that are there stay
  const std::set<std::string>& registered = subject.balancer.instances;
  std::vector<std::string> missing;
  std::copy_if(targets.running.begin(), targets.running.end(), std::back_inserter(missing),
               [&](const std::string& id) { return !registered.contains(id); });
  std::vector<std::string> surplus;
  std::copy_if(registered.begin(), registered.end(), std::back_inserter(surplus),
               [&](const std::string& id) { return !targets.keeps(id); });
  if (!missing.empty()) {
    subject.plan.add("instances", [this, s = &subject, missing](Ctx ctx) {
      return elb_.register_instances(std::move(ctx), s->balancer, missing, s->refused);
    });
  }
  if (!surplus.empty()) {
    subject.plan.add("instances", [this, s = &subject, surplus](Ctx ctx) {
      return elb_.deregister_instances(std::move(ctx), s->balancer, surplus);
    });
  }
}

// All traffic comes in from the load balancer's own group, and from the one that the operator gives
// to all (AWS-92); from one that the Service names its ports alone. The Go manager's rule for all
// traffic has no description: where there is one, it does.
NodeAccess ClassicPlanner::access_of(const ClassicSubject& subject) const {
  NodeAccess access;
  access.mark = subject.mark;
  access.others = subject.others;
  access.own_source = subject.own_id;
  if (subject.named_groups.empty()) return access;
  const std::string& source = subject.named_groups.front();
  Rules all;
  allow_group(all, source, std::string(kClientRule) + subject.mark);
  if (subject.options.security_groups.empty()) {
    access.wanted = std::move(all);
    return access;
  }
  access.wanted = node_rules_from(source, listeners_of(subject), subject.mark);
  const bool by_the_go_manager =
      std::any_of(subject.groups->begin(), subject.groups->end(), [&](const auto& group) {
        const auto rule = group.second.rules.find(*all.begin());
        return rule != group.second.rules.end() && rule->description.empty();
      });
  if (by_the_go_manager) access.also_right = std::move(all);
  return access;
}

std::vector<RuleChange> ClassicPlanner::node_changes_of(ClassicSubject& subject,
                                                        const SecurityGroups& groups) const {
  std::vector<Problem> problems;
  const auto chosen = node_group_ids(subject.targets.groups, groups, cluster_, problems);
  for (Problem& problem : problems) subject.problems.push_back(std::move(problem));
  return node_changes(access_of(subject), chosen, groups);
}

void ClassicPlanner::plan_node_rules(ClassicSubject& subject) {
  if (settings_.disable_security_group_ingress || !subject.targets.no_members.empty()) return;
  const bool unknown = !subject.own_group.empty() && subject.own_id.empty();
  if (!unknown && node_changes_of(subject, *subject.groups).empty()) return;
  subject.plan.add("security groups of Nodes",
                   [this, s = &subject](Ctx ctx) { return change_node_rules(std::move(ctx), *s); });
}

// The Nodes' rules for groups that it leaves (AWS-92).
void ClassicPlanner::plan_old_groups(ClassicSubject& subject) {
  if (settings_.disable_security_group_ingress) return;
  std::set<std::string> old = as_set(subject.balancer.groups);
  for (const std::string& id : wanted_groups(subject)) old.erase(id);
  if (source_removals(old, subject.others, *subject.groups, cluster_).empty()) return;
  subject.plan.add("security groups of Nodes", [this, s = &subject, old](Ctx ctx) {
    return users_.close_nodes_to(std::move(ctx), s->balancer.name, old);
  });
}

void ClassicPlanner::plan_creation(ClassicSubject& subject) {
  plan_own_group(subject);
  subject.plan.add("created",
                   [this, s = &subject](Ctx ctx) { return make_balancer(std::move(ctx), *s); });
  plan_policies(subject);
  subject.plan.add("health check", [this, s = &subject](Ctx ctx) {
    return elb_.set_health(std::move(ctx), s->balancer, s->wanted.health);
  });
  if (!(subject.options.classic == ClassicAttributes())) {
    subject.plan.add("attributes", [this, s = &subject](Ctx ctx) {
      return elb_.set_attributes(std::move(ctx), s->name, s->options.classic);
    });
  }
  plan_node_rules(subject);
  plan_instances(subject);
}

Task<Status> ClassicPlanner::plan_attributes(Ctx ctx, ClassicSubject& subject) {
  const auto existing = co_await elb_.attributes(ctx, subject.balancer.name);
  if (!existing.ok()) co_return existing.status();
  if (*existing == subject.options.classic) co_return Status();
  subject.plan.add_unlisted("attributes", [this, s = &subject](Ctx step) {
    return elb_.set_attributes(std::move(step), s->balancer.name, s->options.classic);
  });
  co_return Status();
}

Task<Status> ClassicPlanner::plan_existing(Ctx ctx, ClassicSubject& subject) {
  plan_own_group(subject);
  plan_groups(subject);
  if (!subject.members_only) {
    plan_subnets(subject);
    plan_listeners(subject);
    plan_policies(subject);
    if (subject.wanted.health != subject.balancer.health) {
      subject.plan.add("health check", [this, s = &subject](Ctx step) {
        return elb_.set_health(std::move(step), s->balancer, s->wanted.health);
      });
    }
    Status attributes;
    if (!subject.glance) attributes = co_await plan_attributes(ctx, subject);
    if (!attributes.ok()) co_return attributes;
  }
  plan_node_rules(subject);
  plan_old_groups(subject);
  plan_instances(subject);
  co_return Status();
}

Task<Status> ClassicPlanner::plan(Ctx ctx, ClassicSubject& subject) {
  auto wanted = wanted_classic(subject.service, subject.options);
  if (!wanted.ok()) co_return wanted.status();
  subject.wanted = *std::move(wanted);
  if (!subject.exists && !subject.options.refused_if_new.ok()) {
    co_return subject.options.refused_if_new;
  }
  Status possible = note_options(host_.crypto, subject, unlisted_options(subject.options.classic));
  if (possible.ok()) possible = choose_security_groups(subject);
  if (possible.ok() && !subject.members_only) possible = choose_subnets_of(subject);
  if (!possible.ok()) co_return possible;
  if (may_share_rules(*subject.groups, subject.mark, subject.own_id, subject.named_groups,
                      subject.balancer.groups)) {
    auto others = co_await users_.others(ctx, subject.name);
    if (!others.ok()) co_return others.status();
    subject.others = *std::move(others);
  }
  if (!subject.exists) {
    plan_creation(subject);
    co_return Status();
  }
  Status planned = co_await plan_existing(ctx, subject);
  co_return planned;
}

Task<Status> ClassicPlanner::make_own_group(Ctx ctx, ClassicSubject& subject) {
  SecurityGroup wish{subject.own_id, subject.own_group,
                     classic_group_description(subject.name, subject.service), subject.group_tags,
                     classic_front_rules(subject.wanted, subject.clients)};
  return groups_.settle(std::move(ctx), std::move(wish), subject.own_id);
}

Task<Status> ClassicPlanner::make_balancer(Ctx ctx, ClassicSubject& subject) {
  ClassicCreation wish;
  wish.name = subject.name;
  wish.internal = subject.options.internal;
  wish.listeners = subject.wanted.listeners;
  wish.subnets = subject.subnets;
  wish.groups = wanted_groups(subject);
  wish.tags = subject.tags;
  auto made = co_await elb_.create(ctx, std::move(wish));
  if (!made.ok()) co_return made.status();
  made->vpc_id = cluster_.vpc_id;
  subject.balancer = *std::move(made);
  co_return Status();
}

Task<Status> ClassicPlanner::change_subnets(Ctx ctx, ClassicSubject& subject) {
  const SubnetSteps steps =
      subnet_steps(subject.balancer.subnets, subject.subnets, zones_of(*subject.network));
  bool attaches = true;
  for (const auto* subnets : {&steps.attach_first, &steps.detach, &steps.attach_last,
                              &steps.detach_kept, &steps.attach_for_kept}) {
    if (!subnets->empty()) {
      auto change = attaches ? elb_.attach_subnets(ctx, subject.balancer, *subnets)
                             : elb_.detach_subnets(ctx, subject.balancer, *subnets);
      Status done = co_await std::move(change);
      if (!done.ok()) co_return done;
    }
    attaches = !attaches;
  }
  co_return Status();
}

Task<Status> ClassicPlanner::set_policies(Ctx ctx, ClassicSubject& subject) {
  ClassicBalancer& balancer = subject.balancer;
  const auto listeners = listeners_without_policy(subject);
  const std::string ssl = ssl_policy_name(subject.wanted.ssl_policy);
  Status done;
  if (!listeners.empty() && !balancer.policies.contains(ssl)) {
    const Tags reference{{"Reference-Security-Policy", subject.wanted.ssl_policy}};
    done = co_await elb_.create_policy(ctx, balancer, ssl, "SSLNegotiationPolicyType", reference);
  }
  const std::vector<std::string> ssl_names{ssl};
  for (const int64_t port : listeners) {
    if (done.ok()) done = co_await elb_.set_listener_policies(ctx, balancer, port, ssl_names);
  }
  const auto ports = changed_port_policies(subject);
  const std::string proxy(kProxyPolicy);
  if (done.ok() && !subject.wanted.proxy_ports.empty() && !ports.empty() &&
      !balancer.policies.contains(proxy)) {
    const Tags on{{"ProxyProtocol", "true"}};
    done = co_await elb_.create_policy(ctx, balancer, proxy, "ProxyProtocolPolicyType", on);
  }
  for (const auto& [port, names] : ports) {
    if (done.ok()) done = co_await elb_.set_port_policies(ctx, balancer, port, names);
  }
  co_return done;
}

Task<Status> ClassicPlanner::change_node_rules(Ctx ctx, ClassicSubject& subject) {
  const auto groups = co_await groups_.list(ctx, kKnown);
  if (!groups.ok()) co_return groups.status();
  auto changes = node_changes_of(subject, **groups);
  Status applied = co_await groups_.apply_all(ctx, std::move(changes));
  co_return applied;
}

}  // namespace ccm::aws

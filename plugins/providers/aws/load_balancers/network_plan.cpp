#include "network_plan.hpp"

#include "aws/api/error.hpp"

#include <ccm/hexadecimal.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace ccm::aws {
namespace {

constexpr std::chrono::milliseconds kGroupsAge{20'000};

// What a target group is to be where the annotation no longer says anything (AWS-155). One that
// never said anything leaves what a hand has set.
Tags wanted_group_attributes(const NetworkSubject& subject, const WantedListener& wanted) {
  Tags out = subject.options.group_attributes;
  if (!subject.owns_group_attributes) return out;
  out.try_emplace("proxy_protocol_v2.enabled", "false");
  if (wanted.group.protocol == "TCP" || wanted.group.protocol == "TLS") {
    out.try_emplace("preserve_client_ip.enabled", "true");
  }
  return out;
}

// The options that no listing shows: attributes, and what a listener that ends TLS has. Empty: the
// usual ones.
std::string unlisted_options(const NetworkSubject& subject) {
  std::string text;
  for (const auto& [key, value] : new_attributes(subject)) text += key + "=" + value + "\n";
  for (const auto& [key, value] : subject.options.group_attributes) {
    text += "target group " + key + "=" + value + "\n";
  }
  for (const NetworkSubject::Port& port : subject.ports) {
    if (port.wanted.protocol != "TLS") continue;
    text += port.wanted.text() + " " + port.wanted.ssl_policy + " " + port.wanted.alpn_policy;
    for (const std::string& certificate : port.wanted.certificates) text += " " + certificate;
    text += "\n";
  }
  return text;
}

std::set<std::string> texts(const std::vector<std::string>& list) {
  return {list.begin(), list.end()};
}

// A port of UDP that a dual-stack load balancer does not have yet.
bool waits_for_source_nat(const NetworkSubject& subject, const NetworkSubject::Port& port) {
  const bool there = port.existing && port.existing->protocol == port.wanted.protocol;
  return port.wanted.protocol.ends_with("UDP") && !there && subject.balancer.dual_stack &&
         !subject.leaves_ipv6 && !subject.balancer.source_nat;
}

// Whether addresses are asked for that are none of those in its subnets.
bool differ(const std::vector<std::string>& asked,
            const std::map<std::string, std::string>& existing) {
  std::set<std::string> known;
  for (const auto& [subnet, address] : existing) known.insert(address);
  return !asked.empty() && texts(asked) != known;
}

Status wrong_count(const char* what, std::size_t given, std::size_t subnets) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                std::string("Must have same number of ") + what + " (" + std::to_string(given) +
                    ") and SubnetIDs (" + std::to_string(subnets) + ")");
}

}  // namespace

// One that was made without groups cannot tell clients apart that the Nodes do not see: what would
// hide some of them is not followed, and IPv6 is given up, unless other Services have it, too.
void NetworkPlanner::tell_of_ranges(NetworkSubject& subject) {
  const bool dual = subject.balancer.dual_stack;
  if (!subject.balancer.groups.empty() || !hides_clients(subject, dual)) return;
  subject.options.group_attributes.erase("preserve_client_ip.enabled");
  subject.leaves_ipv6 = dual && !subject.shared;
  std::string why = "need preserve_client_ip.enabled=true";
  if (subject.leaves_ipv6) why = "do not hold for clients of IPv6: it gets addresses of IPv4 alone";
  if (dual && subject.shared) why = "let no clients of IPv6 in, and checks of their ports fail";
  subject.add_problem(
      "SourceRangesNotFollowed",
      "loadBalancerSourceRanges " + why +
          ", since AWS adds no security groups to a Network Load Balancer that was made without: "
          "another Service gets one with a group");
}

Status NetworkPlanner::choose_security_groups(NetworkSubject& subject) const {
  const std::string& mode = settings_.nlb_security_group_mode;
  if (!mode.empty() && mode != "Managed") {
    return Status(Code::failed_precondition, "Unsupported NLBSecurityGroupMode " + mode);
  }
  if (subject.guest) {
    subject.own_groups = subject.balancer.groups;
    tell_of_ranges(subject);
    return {};
  }
  std::vector<std::string> named = subject.options.security_groups;
  if (subject.exists && subject.balancer.groups.empty()) {
    if (!named.empty() || mode == "Managed") {
      subject.add_problem(
          "SecurityGroupsNotFollowed",
          "AWS adds no security groups to a Network Load Balancer that was made without: the "
          "Nodes' groups let its clients in. Another Service gets one with groups");
    }
    tell_of_ranges(subject);
    return {};
  }
  const Status known = check_groups(*subject.groups, named, subject.balancer.groups);
  // The groups that stay may be its own, which get a rule for each range.
  if (!known.ok() && (!subject.exists || too_many_rules(subject))) return known;
  if (!known.ok()) {
    named.clear();
    tell_of_kept_groups(subject, known);
  }
  subject.own_groups = named;
  if (!named.empty()) return {};
  const auto digest = host_.crypto.sha256(managed_group_seed(subject.service));
  if (!digest.ok()) return digest.status();
  const std::string name = managed_group_name(subject.service, hexadecimal(*digest));
  const SecurityGroup* found = own_group(*subject.groups, name, cluster_);
  const bool has_it = found != nullptr && texts(subject.balancer.groups).contains(found->id);
  const bool needed = !subject.exists && hides_clients(subject, subject.options.dual_stack);
  if ((mode == "Managed" && known.ok()) || needed || (subject.exists && has_it)) {
    subject.managed_group = name;
    if (found == nullptr) return check_own_name(*subject.groups, name, cluster_);
    subject.managed_id = found->id;
  } else if (subject.exists) {
    subject.own_groups = subject.balancer.groups;  // somebody's hand gave it these
  }
  return {};
}

// AWS-155.
void NetworkPlanner::tell_of_what_stays(NetworkSubject& subject,
                                        const std::vector<Subnet>& chosen) {
  const ServiceOptions& options = subject.options;
  if (!options.name.empty() && options.name != subject.balancer.name) {
    subject.add_problem("NameNotFollowed", "the load balancer keeps its name " +
                                               subject.balancer.name +
                                               ": another Service gets one of that name");
  }
  if (differ(options.allocations, subject.balancer.allocations) ||
      differ(options.private_addresses, subject.balancer.addresses)) {
    subject.add_problem("AddressesNotFollowed",
                        "the load balancer keeps its addresses: another Service gets one "
                        "with others");
  }
  if (options.subnets.empty()) return;
  std::map<std::string_view, std::string_view> wanted;  // by zone
  for (const Subnet& subnet : chosen) wanted[subnet.zone] = subnet.id;
  for (const Subnet& subnet : subject.subnets) {
    if (wanted[subnet.zone] == subnet.id) continue;
    subject.add_problem("SubnetsNotFollowed", "the load balancer keeps subnet " + subnet.id +
                                                  " in zone " + subnet.zone +
                                                  ": another Service gets one with other subnets");
    return;
  }
}

// Families alone ask for IPv6 where the subnets have it; the Go manager makes one of IPv4 always.
void NetworkPlanner::fall_back_to_ipv4(NetworkSubject& subject) {
  if (!subject.options.dual_stack) return;
  for (const Subnet& subnet : subject.subnets) {
    if (!subnet.ipv6_cidr.empty()) continue;
    subject.options.dual_stack = false;
    subject.clients = client_ranges(subject.service, false);
    subject.add_problem("AddressTypeNotFollowed",
                        "subnet " + subnet.id +
                            " has no range of IPv6: the load balancer gets addresses of "
                            "IPv4 alone");
    return;
  }
}

// A load balancer that exists keeps its scheme and zones; zones are only added (AWS-70, 81).
Status NetworkPlanner::choose_subnets_of(NetworkSubject& subject) const {
  const ServiceOptions& options = subject.options;
  if (subject.exists) tell_of_scheme(subject, subject.balancer.internal);
  const bool internal = subject.exists ? subject.balancer.internal : options.internal;
  const SubnetWish wish{options.subnets, internal, cluster_.tag(), settings_.subnet_id,
                        !subject.exists && options.dual_stack && options.address_type_said};
  auto chosen = choose_subnets(*subject.network, wish);
  if (!subject.exists) {
    if (!chosen.ok()) return chosen.status();
    subject.subnets = *std::move(chosen);
    fall_back_to_ipv4(subject);
    const std::size_t count = subject.subnets.size();
    if (!options.allocations.empty() && options.allocations.size() != count) {
      return wrong_count("EIP AllocationIDs", options.allocations.size(), count);
    }
    if (!options.private_addresses.empty() && options.private_addresses.size() != count) {
      return wrong_count("PrivateIPv4Addresses", options.private_addresses.size(), count);
    }
    return {};
  }
  subject.subnets = subnets_with_ids(*subject.network, subject.balancer.subnets);
  if (!chosen.ok()) {
    // Nodes come and go nevertheless.
    if (options.subnets.empty() || subject.guest) return {};
    subject.add_problem("SubnetsNotFollowed", chosen.status().message());
    return {};
  }
  std::set<std::string> zones;
  for (const Subnet& subnet : subject.subnets) zones.insert(subnet.zone);
  if (!subject.guest) tell_of_what_stays(subject, *chosen);
  const bool addresses_said = !options.allocations.empty() || !options.private_addresses.empty();
  for (const Subnet& subnet : *chosen) {
    const bool wanted = !options.subnets.empty() || subject.targets.zones.contains(subnet.zone);
    if (!wanted || zones.contains(subnet.zone)) continue;
    const bool lacks_v6 = subject.balancer.dual_stack && subnet.ipv6_cidr.empty();
    if (addresses_said || lacks_v6) {
      const std::string why = lacks_v6 ? "subnet " + subnet.id + " has no range of IPv6"
                                       : "the load balancer's addresses were chosen";
      subject.add_problem("ZoneNotAdded", "zone " + subnet.zone + " is not added, since " + why);
    } else {
      subject.subnets.push_back(subnet);
    }
  }
  return {};
}

// Additions before the listeners, removals when nothing needs them any more.
void NetworkPlanner::plan_node_rules(NetworkSubject& subject, bool removals) {
  if (settings_.disable_security_group_ingress || !subject.targets.no_members.empty()) return;
  const auto changes = node_changes_of(subject, *subject.groups, cluster_);
  const bool unknown_source = !subject.managed_group.empty() && subject.managed_id.empty();
  const bool any = std::any_of(changes.begin(), changes.end(), [&](const RuleChange& change) {
    return !(removals ? change.remove : change.add).empty();
  });
  if (!any && (removals || !unknown_source)) return;
  subject.plan.add("security groups of Nodes", [this, s = &subject, removals](Ctx ctx) {
    return steps_.change_node_rules(std::move(ctx), *s, removals);
  });
}

// The Nodes' rules for groups that it leaves: also one that bears the mark of another load balancer
// that had the group before.
void NetworkPlanner::plan_old_groups(NetworkSubject& subject) {
  if (settings_.disable_security_group_ingress || subject.guest) return;
  std::set<std::string> old = texts(subject.balancer.groups);
  for (const std::string& id : subject.own_groups) old.erase(id);
  old.erase(subject.managed_id);
  if (source_removals(old, subject.others, *subject.groups, cluster_).empty()) return;
  subject.plan.add("security groups of Nodes", [this, s = &subject, old](Ctx ctx) {
    return users_.close_nodes_to(std::move(ctx), s->balancer.arn, old);
  });
}

void NetworkPlanner::plan_managed_group(NetworkSubject& subject) {
  if (subject.managed_group.empty()) return;
  bool right = false;
  const auto found = subject.groups->find(subject.managed_id);
  if (found != subject.groups->end()) {
    right = exact_change(found->second, front_rules(wanted_of(subject), subject.clients)).empty() &&
            found->second.tags.contains(cluster_.tag());
  }
  if (right) return;
  subject.plan.add("security group", [this, s = &subject](Ctx ctx) {
    return steps_.make_managed_group(std::move(ctx), *s);
  });
}

void NetworkPlanner::plan_creation(NetworkSubject& subject) {
  plan_managed_group(subject);
  subject.plan.add("created", [this, s = &subject](Ctx ctx) {
    return steps_.make_balancer(std::move(ctx), *s);
  });
  plan_node_rules(subject, false);
  for (NetworkSubject::Port& port : subject.ports) plan_port(subject, port);
}

// A port without a target group or with another one than it is to have.
void NetworkPlanner::plan_port(NetworkSubject& subject, NetworkSubject::Port& port) {
  const std::string what = "listener " + port.wanted.text();
  subject.plan.add(what, [this, s = &subject, p = &port](Ctx ctx) {
    return steps_.make_group(std::move(ctx), *s, *p);
  });
  if (!subject.targets.running.empty()) {
    subject.plan.add(what, [this, s = &subject, p = &port](Ctx ctx) {
      return steps_.register_all(std::move(ctx), *s, *p);
    });
  }
  subject.plan.add(what, [this, s = &subject, p = &port](Ctx ctx) {
    return steps_.make_listener(std::move(ctx), *s, *p);
  });
  if (port.old_group.empty()) return;
  subject.plan.add(
      what, [this, p = &port](Ctx ctx) { return steps_.drop_group(std::move(ctx), p->old_group); });
}

void NetworkPlanner::plan_zones(NetworkSubject& subject) {
  if (subject.subnets.size() > subject.balancer.subnets.size()) {
    subject.plan.add_last("zones", [this, s = &subject](Ctx ctx) {
      return elbv2_.set_subnets(std::move(ctx), s->balancer, s->subnets);
    });
  }
}

void NetworkPlanner::plan_address_type(NetworkSubject& subject) {
  const ServiceOptions& options = subject.options;
  if (subject.leaves_ipv6) {
    subject.plan.add("IP address type", [this, s = &subject](Ctx ctx) {
      return steps_.leave_ipv6(std::move(ctx), *s);
    });
    return;
  }
  if (subject.shared || options.dual_stack == subject.balancer.dual_stack) return;
  const bool opens = options.dual_stack && subject.balancer.groups.empty() &&
                     !subject.service.source_ranges.empty();
  if (opens) {
    subject.add_problem("AddressTypeNotFollowed",
                        "loadBalancerSourceRanges would not hold for clients of IPv6, since "
                        "the load balancer was made without security groups");
    return;
  }
  if (!options.address_type_said) {
    subject.add_problem("AddressTypeNotFollowed",
                        std::string("the load balancer has addresses of ") +
                            (subject.balancer.dual_stack ? "both families" : "IPv4 alone") +
                            "; the annotation " + std::string(annotation::kIpAddressType) +
                            " changes that");
    return;
  }
  subject.plan.add_last("IP address type", [this, s = &subject](Ctx ctx) {
    return elbv2_.set_address_type(std::move(ctx), s->balancer, s->options.dual_stack);
  });
}

// Before the first listener that needs it, and after all that does not: AWS may refuse it, for want
// of room in a subnet say. Zones stay as they are.
void NetworkPlanner::plan_source_nat(NetworkSubject& subject) {
  const auto& ports = subject.ports;
  const auto waits = [&](const auto& port) { return waits_for_source_nat(subject, port); };
  if (std::none_of(ports.begin(), ports.end(), waits)) return;
  subject.plan.add("source NAT of IPv6", [this, s = &subject](Ctx ctx) {
    s->balancer.source_nat = true;
    std::vector<Subnet> same;
    for (const std::string& id : s->balancer.subnets) same.emplace_back().id = id;
    return elbv2_.set_subnets(std::move(ctx), s->balancer, std::move(same));
  });
}

Task<Status> NetworkPlanner::plan_attributes(Ctx ctx, NetworkSubject& subject) {
  const auto existing = co_await elbv2_.attributes(ctx, subject.balancer.arn);
  if (!existing.ok()) co_return existing.status();
  Tags changed = different(subject.options.attributes, *existing);
  if (changed.empty()) co_return Status();
  subject.plan.add_unlisted("attributes", [this, s = &subject, changed](Ctx step) {
    return elbv2_.modify_attributes(std::move(step), s->balancer.arn, changed);
  });
  co_return Status();
}

// Further certificates that a hand has given stay: those of a Service that never named several.
Task<Status> NetworkPlanner::plan_certificates(Ctx ctx, NetworkSubject& subject,
                                               NetworkSubject::Port& port) {
  const auto& wanted = port.wanted.certificates;
  if (wanted.empty() || !subject.owns_certificates) co_return Status();
  if (port.existing->protocol != "TLS") co_return Status();
  std::set<std::string> existing;
  Status read = co_await elbv2_.extra_certificates(ctx, port.existing->arn, existing);
  if (!read.ok()) co_return read;
  std::set<std::string> missing(wanted.begin() + 1, wanted.end());
  const std::string arn = port.existing->arn;
  for (const std::string& certificate : existing) {
    if (missing.erase(certificate) > 0 || certificate == wanted.front()) continue;
    subject.plan.add_unlisted("certificates", [this, arn, certificate](Ctx step) {
      return elbv2_.change_certificates(std::move(step), arn, certificate, false);
    });
  }
  for (const std::string& certificate : missing) {
    subject.plan.add_unlisted("certificates", [this, arn, certificate](Ctx step) {
      return elbv2_.change_certificates(std::move(step), arn, certificate, true);
    });
  }
  co_return Status();
}

// Registered before others are taken away (AWS-104).
Task<Status> NetworkPlanner::plan_targets(Ctx ctx, NetworkSubject& subject,
                                          NetworkSubject::Port& port) {
  const Targets& targets = subject.targets;
  if (!targets.no_members.empty()) co_return Status();  // those that are there stay
  const auto registered = co_await elbv2_.targets(ctx, port.group);
  if (!registered.ok()) co_return registered.status();
  std::vector<std::string> missing;
  std::copy_if(targets.running.begin(), targets.running.end(), std::back_inserter(missing),
               [&](const std::string& id) { return !registered->contains(id); });
  std::vector<std::string> surplus;
  std::copy_if(registered->begin(), registered->end(), std::back_inserter(surplus),
               [&](const std::string& id) { return !targets.keeps(id); });
  const std::string what = "targets of " + port.wanted.text();
  const std::string group = port.group;
  if (!missing.empty()) {
    subject.plan.add(what, [this, s = &subject, group, missing](Ctx step) {
      return elbv2_.register_targets(std::move(step), group, missing, s->refused);
    });
  }
  if (!surplus.empty()) {
    subject.plan.add(what, [this, group, surplus](Ctx step) {
      return elbv2_.deregister_targets(std::move(step), group, surplus);
    });
  }
  co_return Status();
}

Task<Status> NetworkPlanner::plan_group(Ctx ctx, NetworkSubject& subject,
                                        NetworkSubject::Port& port, const Elbv2::Groups& groups) {
  const auto found = port.existing ? groups.find(port.existing->target_group) : groups.end();
  if (found == groups.end() || found->second.name != port.wanted.group.name) {
    if (found != groups.end()) port.old_group = found->first;
    plan_port(subject, port);
    co_return Status();
  }
  port.group = found->first;
  const TargetGroup& group = found->second;
  if (!subject.members_only && differs(port.wanted.group.health, group.health)) {
    subject.plan.add("health check of " + port.wanted.text(), [this, group, p = &port](Ctx step) {
      return elbv2_.modify_health(std::move(step), group, p->wanted.group.health);
    });
  }
  if (!subject.members_only) {
    const auto existing = co_await elbv2_.group_attributes(ctx, port.group);
    if (!existing.ok()) co_return existing.status();
    Tags changed = different(wanted_group_attributes(subject, port.wanted), *existing);
    if (!changed.empty()) {
      subject.plan.add_unlisted(
          "attributes of " + port.wanted.text(), [this, p = &port, changed](Ctx step) {
            return elbv2_.modify_group_attributes(std::move(step), p->group, changed);
          });
    }
  }
  if (!subject.members_only && differs(port.wanted, *port.existing)) {
    const std::string what = "listener " + port.wanted.text();
    subject.plan.add_unlisted(what, [this, s = &subject, p = &port](Ctx step) {
      return steps_.make_listener(std::move(step), *s, *p);
    });
  }
  if (!subject.members_only) {
    Status certificates = co_await plan_certificates(ctx, subject, port);
    if (!certificates.ok()) co_return certificates;
  }
  Status targets = co_await plan_targets(ctx, subject, port);
  co_return targets;
}

// Which listener is whose. On a shared load balancer those of others are left alone.
Status NetworkPlanner::claim_ports(NetworkSubject& subject,
                                   const std::vector<Listener>& listeners) {
  std::map<int64_t, NetworkSubject::Port*> by_port;
  for (NetworkSubject::Port& port : subject.ports) by_port[port.wanted.port] = &port;
  std::vector<Listener> surplus;
  for (const Listener& listener : listeners) {
    const bool ours = !subject.shared || subject.own_arns.contains(listener.target_group);
    const auto wanted = by_port.find(listener.port);
    if (wanted != by_port.end() && ours) {
      wanted->second->existing = listener;
    } else if (wanted != by_port.end()) {
      return Status(Code::failed_precondition, ErrorClass::invalid_spec,
                    "port " + std::to_string(listener.port) +
                        " of the shared load balancer belongs to another Service");
    } else if (ours) {
      surplus.push_back(listener);
    }
  }
  subject.surplus = std::move(surplus);
  return {};
}

void NetworkPlanner::plan_surplus(NetworkSubject& subject, const Elbv2::Groups& groups) {
  std::set<std::string> used;
  for (const NetworkSubject::Port& port : subject.ports) used.insert(port.group);
  for (const Listener& listener : subject.surplus) {
    const std::string what = "listener " + listener.protocol + " " + std::to_string(listener.port);
    subject.plan.add(what, [this, arn = listener.arn](Ctx ctx) {
      return elbv2_.delete_listener(std::move(ctx), arn);
    });
    if (groups.contains(listener.target_group) && used.insert(listener.target_group).second) {
      subject.plan.add(what, [this, arn = listener.target_group](Ctx ctx) {
        return steps_.drop_group(std::move(ctx), arn);
      });
    }
  }
  for (const std::string& arn : subject.orphans) {
    if (used.contains(arn)) continue;
    subject.plan.add("leftover target groups",
                     [this, arn](Ctx ctx) { return elbv2_.delete_group(std::move(ctx), arn); });
  }
}

// Whether the load balancer has the target groups that it is to have and no others, so that it has
// their listeners, too; each port gets its own.
bool NetworkPlanner::listed_as_wanted(NetworkSubject& subject, const Elbv2::Groups& groups) {
  std::map<std::string_view, const TargetGroup*> used;
  for (const auto& [arn, group] : groups) {
    const auto& of = group.balancers;
    if (std::find(of.begin(), of.end(), subject.balancer.arn) != of.end())
      used[group.name] = &group;
  }
  if (used.size() != subject.ports.size()) return false;
  for (NetworkSubject::Port& port : subject.ports) {
    const auto found = used.find(port.wanted.group.name);
    if (found == used.end() || differs(port.wanted.group.health, found->second->health)) {
      return false;
    }
    port.group = found->second->arn;
  }
  return true;
}

// Listeners with their target groups, port by port. A glance reads the targets of the last port
// alone: a plan writes ports in their order and ends at a failure, so when the last one has its
// targets the others have theirs.
Task<Status> NetworkPlanner::plan_listeners(Ctx ctx, NetworkSubject& subject) {
  auto groups = co_await elbv2_.groups(ctx, kGroupsAge);
  if (!groups.ok()) co_return groups.status();
  if (subject.glance && listed_as_wanted(subject, **groups)) {
    plan_surplus(subject, **groups);
    Status members = co_await plan_targets(ctx, subject, subject.ports.back());
    co_return members;
  }
  std::vector<Listener> listeners;
  Status read = co_await elbv2_.listeners(ctx, subject.balancer.arn, listeners);
  if (!read.ok()) co_return read;
  const bool stale = std::any_of(listeners.begin(), listeners.end(), [&](const Listener& listener) {
    return !listener.target_group.empty() && !(*groups)->contains(listener.target_group);
  });
  if (stale) groups = co_await elbv2_.groups(ctx, std::chrono::milliseconds(0));
  if (!groups.ok()) co_return groups.status();
  Status claimed = claim_ports(subject, listeners);
  if (!claimed.ok()) co_return claimed;
  for (const bool waits : {false, true}) {
    if (waits) plan_source_nat(subject);
    for (NetworkSubject::Port& port : subject.ports) {
      if (waits_for_source_nat(subject, port) != waits) continue;
      Status planned = co_await plan_group(ctx, subject, port, **groups);
      if (!planned.ok()) co_return planned;
    }
  }
  plan_surplus(subject, **groups);
  co_return Status();
}

Task<Status> NetworkPlanner::plan_existing(Ctx ctx, NetworkSubject& subject) {
  plan_managed_group(subject);
  const auto wanted = texts(subject.own_groups);
  const bool other_groups =
      !subject.balancer.groups.empty() &&
      (subject.managed_group.empty()
           ? wanted != texts(subject.balancer.groups)
           : subject.balancer.groups != std::vector<std::string>{subject.managed_id});
  if (other_groups) {
    subject.plan.add("security groups", [this, s = &subject](Ctx step) {
      std::vector<std::string> ids = s->own_groups;
      if (!s->managed_group.empty()) ids = {s->managed_id};
      return elbv2_.set_groups(std::move(step), s->balancer, std::move(ids));
    });
  }
  if (!subject.shared) plan_zones(subject);
  plan_address_type(subject);
  if (!subject.members_only && !subject.guest && !subject.glance) {
    Status attributes = co_await plan_attributes(ctx, subject);
    if (!attributes.ok()) co_return attributes;
  }
  plan_node_rules(subject, false);
  Status listeners = co_await plan_listeners(ctx, subject);
  if (!listeners.ok()) co_return listeners;
  plan_node_rules(subject, true);
  plan_old_groups(subject);
  co_return Status();
}

Task<Status> NetworkPlanner::plan(Ctx ctx, NetworkSubject& subject) {
  auto listeners = wanted_listeners(subject.service, subject.options, cluster_);
  if (!listeners.ok()) co_return listeners.status();
  if (!subject.exists && !subject.options.refused_if_new.ok()) {
    co_return subject.options.refused_if_new;
  }
  for (WantedListener& listener : *listeners) {
    subject.ports.push_back({std::move(listener), std::nullopt, {}, {}});
  }
  subject.owns_certificates =
      owns_option(subject, kOwnCertificates, subject.options.certificates.size() > 1);
  subject.owns_group_attributes =
      owns_option(subject, kOwnGroupAttributes, !subject.options.group_attributes.empty());
  Status possible = note_options(host_.crypto, subject, unlisted_options(subject));
  if (subject.shared) subject.applied_options = kUnknownOptions;  // one of several who decide
  if (possible.ok()) possible = choose_subnets_of(subject);
  if (possible.ok()) possible = choose_security_groups(subject);
  if (!possible.ok()) co_return possible;
  const bool by_port = subject.managed_group.empty();
  if (by_port && !settings_.disable_security_group_ingress) tell_of_health_port(subject);
  if (may_share_rules(*subject.groups, subject.mark, subject.managed_id, subject.own_groups,
                      subject.balancer.groups)) {
    auto others = co_await users_.others(ctx, subject.balancer.arn);
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

}  // namespace ccm::aws

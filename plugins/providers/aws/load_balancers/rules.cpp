#include "rules.hpp"

#include "aws/cluster.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <tuple>

namespace ccm::aws {
namespace {

constexpr int64_t kFragmentationNeededType = 3;
constexpr int64_t kFragmentationNeededCode = 4;
constexpr int64_t kPacketTooBigType = 2;

bool is_v6_range(std::string_view source) { return source.find(':') != std::string_view::npos; }

std::string client_description(const std::string& load_balancer) {
  return std::string(kClientRule) + load_balancer;
}
std::string health_description(const std::string& load_balancer) {
  return std::string(kHealthRule) + load_balancer;
}

Rules without_rules(const Rules& rules, const Rules& removed) {
  Rules rest;
  std::set_difference(rules.begin(), rules.end(), removed.begin(), removed.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

// The rules for the path MTU that the clients' ranges ask for.
void change_path_mtu(const SecurityGroup& group, RuleChange& change) {
  std::set<std::string> ranges;
  Rules after = without_rules(group.rules, change.remove);
  after.insert(change.add.begin(), change.add.end());
  for (const Rule& rule : after) {
    if (rule.from_range() && rule.description.starts_with(kClientRule)) ranges.insert(rule.source);
  }
  Rules wanted;
  allow_path_mtu(wanted, {ranges.begin(), ranges.end()}, std::string(kMtuRule));
  change.add.merge(without_rules(wanted, group.rules));
  for (const Rule& rule : group.rules) {
    if (rule.description == kMtuRule && !wanted.contains(rule)) change.remove.insert(rule);
  }
}

void set_source(Params& permission, const Rule& rule) {
  Params source;
  std::string list = "IpRanges";
  if (rule.from_group()) {
    list = "Groups";
    source.set("GroupId", rule.source);
  } else if (rule.source.starts_with("pl-")) {
    list = "PrefixListIds";
    source.set("PrefixListId", rule.source);
  } else if (is_v6_range(rule.source)) {
    list = "Ipv6Ranges";
    source.set("CidrIpv6", rule.source);
  } else {
    source.set("CidrIp", rule.source);
  }
  if (!rule.description.empty()) source.set("Description", rule.description);
  permission.add(list, source);
}

}  // namespace

void allow_port(Rules& rules, const std::string& protocol, int32_t port,
                const std::vector<std::string>& ranges, const std::string& description) {
  for (const std::string& range : ranges) {
    rules.insert({protocol, port, port, range, description});
  }
}

void allow_path_mtu(Rules& rules, const std::vector<std::string>& ranges,
                    const std::string& description) {
  for (const std::string& range : ranges) {
    if (is_v6_range(range)) {
      rules.insert({"icmpv6", kPacketTooBigType, 0, range, description});
    } else {
      rules.insert(
          {"icmp", kFragmentationNeededType, kFragmentationNeededCode, range, description});
    }
  }
}

void allow_group(Rules& rules, const std::string& group_id, const std::string& description) {
  rules.insert({"-1", -1, -1, group_id, description});
}

std::set<std::string> clusters_of(const Tags& tags) {
  std::set<std::string> keys;
  for (auto tag = tags.lower_bound(kClusterTagPrefix);
       tag != tags.end() && tag->first.starts_with(kClusterTagPrefix); ++tag) {
    keys.insert(tag->first);
  }
  const auto legacy = tags.find(kLegacyClusterTag);
  if (legacy != tags.end()) keys.insert(std::string(kClusterTagPrefix) + legacy->second);
  return keys;
}

bool is_own_alone(const SourceUsers& users, const SecurityGroup& holder) {
  return clusters_of(holder.tags) == std::set<std::string>{users.own};
}

bool needed_by_others(const SourceUsers& users, const SecurityGroup& holder,
                      const std::string& source) {
  const auto found = users.clusters.find(source);
  if (found == users.clusters.end()) return false;
  const std::set<std::string> clusters = clusters_of(holder.tags);
  if (!clusters.contains(users.own) || found->second.contains("")) return true;
  return std::any_of(clusters.begin(), clusters.end(),
                     [&](const std::string& cluster) { return found->second.contains(cluster); });
}

RuleChange exact_change(const SecurityGroup& group, const Rules& wanted) {
  return {group.id, without_rules(wanted, group.rules), without_rules(group.rules, wanted)};
}

RuleChange marked_rules_change(const SecurityGroup& group, const std::string& load_balancer,
                               const Rules& wanted, const SourceUsers& others) {
  RuleChange change{group.id, without_rules(wanted, group.rules), {}};
  bool only_health = true;
  const bool own_alone = is_own_alone(others, group);
  for (const Rule& rule : group.rules) {
    const bool client = rule.description == client_description(load_balancer);
    if (!client && rule.description != health_description(load_balancer)) continue;
    if (wanted.contains(rule)) continue;
    const bool port = rule.protocol == "tcp" || rule.protocol == "udp";
    const bool own_port = client && port && own_alone;
    if (!own_port && needed_by_others(others, group, rule.source)) continue;
    only_health = only_health && !client;
    change.remove.insert(rule);
  }
  const bool leftovers = only_health && change.add.empty() && !wanted.empty();
  if (leftovers) change.remove.clear();
  if (change.empty()) return change;
  change.shares_path_mtu = true;
  change_path_mtu(group, change);
  return change;
}

RuleChange path_mtu_change(const SecurityGroup& group) {
  RuleChange change{group.id, {}, {}};
  change_path_mtu(group, change);
  return change;
}

RuleChange group_rule_change(const SecurityGroup& group, const std::string& source, bool allowed) {
  RuleChange change{group.id, {}, {}};
  Rules wanted;
  if (allowed) allow_group(wanted, source, "");
  change.add = without_rules(wanted, group.rules);
  for (const Rule& rule : group.rules) {
    if (rule.source == source && !wanted.contains(rule)) change.remove.insert(rule);
  }
  return change;
}

std::string group_of_instance(const std::vector<std::string>& groups, const SecurityGroups& known,
                              const std::string& cluster_tag, std::string& why_not) {
  // The old tag (AWS-17) has the cluster's id, with which the tag ends, as its value.
  const std::string cluster_id = cluster_tag.substr(kClusterTagPrefix.size());
  std::vector<std::string> tagged;
  for (const std::string& id : groups) {
    const auto found = known.find(id);
    if (found == known.end()) continue;
    const auto legacy = found->second.tags.find(std::string(kLegacyClusterTag));
    const bool old = legacy != found->second.tags.end() && legacy->second == cluster_id;
    if (old || found->second.tags.contains(cluster_tag)) tagged.push_back(id);
  }
  const auto& choice = tagged.empty() ? groups : tagged;
  if (choice.size() == 1) return choice.front();
  if (choice.empty()) return {};
  why_not = std::string(tagged.empty() ? "Multiple untagged" : "Multiple tagged") +
            " security groups found for instance; ensure only the k8s security group is tagged";
  return {};
}

void set_permissions(Params& params, const Rules& rules) {
  using Ports = std::tuple<std::string_view, int64_t, int64_t>;
  std::map<Ports, Params> permissions;
  for (const Rule& rule : rules) {
    Params& permission = permissions[{rule.protocol, rule.from, rule.to}];
    if (permission.empty()) {
      permission.set("IpProtocol", rule.protocol);
      if (rule.protocol != "-1") permission.set("FromPort", rule.from).set("ToPort", rule.to);
    }
    set_source(permission, rule);
  }
  for (const auto& [ports, permission] : permissions) params.add("IpPermissions", permission);
}

}  // namespace ccm::aws

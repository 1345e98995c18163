#include "node_groups.hpp"

#include <algorithm>
#include <set>

namespace ccm::aws {
namespace {

RuleChange node_change(const SecurityGroup& group, const NodeAccess& access, bool chosen) {
  const Rules none;
  const Rules& wanted = chosen ? access.wanted : none;
  RuleChange change = marked_rules_change(group, access.mark, wanted, access.others);
  if (chosen && !change.empty() && !access.also_right.empty() &&
      marked_rules_change(group, access.mark, access.also_right, access.others).empty()) {
    change = {group.id, {}, {}};
  }
  if (access.own_source.empty()) return change;
  RuleChange own = group_rule_change(group, access.own_source, chosen);
  change.add.merge(own.add);
  change.remove.merge(own.remove);
  return change;
}

}  // namespace

bool may_share_rules(const SecurityGroups& groups, const std::string& mark, const std::string& own,
                     const std::vector<std::string>& gets, const std::vector<std::string>& has) {
  const auto named = [&](const std::string& id) { return id != own; };
  return !gets.empty() || std::any_of(has.begin(), has.end(), named) ||
         bears_group_rules(groups, mark, {own});
}

bool bears_group_rules(const SecurityGroups& groups, const std::string& mark,
                       const std::vector<std::string>& own) {
  const std::string client = std::string(kClientRule) + mark;
  const std::string health = std::string(kHealthRule) + mark;
  return std::any_of(groups.begin(), groups.end(), [&](const auto& group) {
    const Rules& rules = group.second.rules;
    return std::any_of(rules.begin(), rules.end(), [&](const Rule& rule) {
      return rule.from_group() && (rule.description == client || rule.description == health) &&
             std::find(own.begin(), own.end(), rule.source) == own.end();
    });
  });
}

std::vector<std::string> node_group_ids(const std::vector<std::vector<std::string>>& instances,
                                        const SecurityGroups& groups, const Cluster& cluster,
                                        std::vector<Problem>& problems) {
  std::set<std::string> chosen;
  for (const std::vector<std::string>& of_one : instances) {
    std::string why_not;
    const std::string id = group_of_instance(of_one, groups, cluster.tag(), why_not);
    if (!id.empty()) chosen.insert(id);
    if (!why_not.empty()) {
      std::string names;
      for (const std::string& group : of_one) names += " " + group;
      problems.push_back({"SecurityGroupUnclear", why_not + ":" + names});
    }
  }
  return {chosen.begin(), chosen.end()};
}

std::vector<RuleChange> node_changes(const NodeAccess& access,
                                     const std::vector<std::string>& chosen,
                                     const SecurityGroups& groups) {
  std::vector<RuleChange> changes;
  for (const auto& [id, group] : groups) {
    const bool is_chosen = std::binary_search(chosen.begin(), chosen.end(), id);
    RuleChange change = node_change(group, access, is_chosen);
    if (!change.empty()) changes.push_back(std::move(change));
  }
  return changes;
}

std::set<std::string> closed_checks(const std::vector<RuleChange>& changes) {
  std::set<std::string> ports;
  for (const RuleChange& change : changes) {
    for (const Rule& rule : change.remove) {
      const bool check = rule.from_range() && rule.description.starts_with(kHealthRule);
      if (check) ports.insert(std::to_string(rule.from));
    }
  }
  return ports;
}

std::vector<RuleChange> removal_changes(const std::string& mark,
                                        const std::vector<std::string>& own,
                                        const SourceUsers& others, const SecurityGroups& groups) {
  const std::set<std::string, std::less<>> sources(own.begin(), own.end());
  std::vector<RuleChange> changes;
  for (const auto& [id, group] : groups) {
    RuleChange change = marked_rules_change(group, mark, {}, others);
    for (const Rule& rule : group.rules) {
      if (sources.contains(rule.source) && !sources.contains(id)) change.remove.insert(rule);
    }
    if (!change.empty()) changes.push_back(std::move(change));
  }
  return changes;
}

std::vector<RuleChange> source_removals(const std::set<std::string>& sources,
                                        const SourceUsers& others, const SecurityGroups& groups,
                                        const Cluster& cluster) {
  std::vector<RuleChange> changes;
  for (const auto& [id, group] : groups) {
    RuleChange change{id, {}, {}};
    const auto clusters = clusters_of(group.tags);
    if (!clusters.empty() && !clusters.contains(cluster.tag())) continue;
    for (const Rule& rule : group.rules) {
      if (!sources.contains(rule.source) || rule.source == id) continue;
      const bool marked =
          rule.description.starts_with(kClientRule) || rule.description.starts_with(kHealthRule);
      if (marked && !needed_by_others(others, group, rule.source)) change.remove.insert(rule);
    }
    if (!change.empty()) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace ccm::aws

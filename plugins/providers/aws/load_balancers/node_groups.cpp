#include "node_groups.hpp"

#include <algorithm>
#include <set>

namespace ccm::aws {
namespace {

RuleChange network_change(const SecurityGroup& group, const NodeAccess& access, bool chosen) {
  const SourceUsers& others = access.others;
  if (!chosen) return marked_rules_change(group, access.mark, {}, others);
  RuleChange change = marked_rules_change(group, access.mark, access.wanted, others);
  if (change.empty() || access.also_right.empty()) return change;
  RuleChange other = marked_rules_change(group, access.mark, access.also_right, others);
  return other.empty() ? other : change;
}

// Somebody else may have put the rule for a group of theirs into one that is not the cluster's.
RuleChange classic_change(const SecurityGroup& group, const NodeAccess& access, bool chosen,
                          const Cluster& cluster) {
  const bool ours = access.own_source || group.tags.contains(cluster.tag());
  if (!chosen && !ours) return {group.id, {}, {}};
  return group_rule_change(group, access.source, chosen);
}

}  // namespace

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
                                     const SecurityGroups& groups, const Cluster& cluster) {
  std::vector<RuleChange> changes;
  for (const auto& [id, group] : groups) {
    const bool is_chosen = std::binary_search(chosen.begin(), chosen.end(), id);
    RuleChange change = access.source.empty() ? network_change(group, access, is_chosen)
                                              : classic_change(group, access, is_chosen, cluster);
    if (!change.empty()) changes.push_back(std::move(change));
  }
  return changes;
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
  Rules unwanted;
  for (const std::string& source : sources) allow_group(unwanted, source, "");
  std::vector<RuleChange> changes;
  for (const auto& [id, group] : groups) {
    RuleChange change{id, {}, {}};
    const auto clusters = clusters_of(group.tags);
    const bool ours = clusters.contains(cluster.tag());
    if (!ours && !clusters.empty()) continue;
    for (const Rule& rule : unwanted) {
      const auto found = group.rules.find(rule);
      if (found == group.rules.end() || rule.source == id) continue;
      if (needed_by_others(others, group, rule.source)) continue;
      const std::string& description = found->description;
      if (description.empty() ? ours : description.starts_with(kClientRule)) {
        change.remove.insert(*found);
      }
    }
    if (!change.empty()) changes.push_back(std::move(change));
  }
  return changes;
}

}  // namespace ccm::aws

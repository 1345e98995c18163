#include "merged_rules.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace ccm::ctl {

using plugin_files::RbacRule;

namespace {

constexpr std::array<std::string_view, 8> kVerbOrder{
    "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"};

std::size_t rank_of(std::string_view verb) {
  return static_cast<std::size_t>(std::find(kVerbOrder.begin(), kVerbOrder.end(), verb) -
                                  kVerbOrder.begin());
}

// From get to delete, then other verbs by name.
bool verb_before(std::string_view left, std::string_view right) {
  return std::make_pair(rank_of(left), left) < std::make_pair(rank_of(right), right);
}

struct Thing {
  std::string group;
  std::string resource;
  std::string name;  // empty: all

  auto operator<=>(const Thing&) const = default;
};

struct Grant {
  std::set<std::string> verbs;
  std::vector<std::string> subjects;
  bool optional = true;  // for all of them
};

void note_subject(std::vector<std::string>& subjects, const std::string& subject) {
  if (std::find(subjects.begin(), subjects.end(), subject) == subjects.end())
    subjects.push_back(subject);
}

std::vector<std::string> names_of(const RbacRule& rule) {
  return rule.resource_names.empty() ? std::vector<std::string>{""} : rule.resource_names;
}

// A wildcard includes everything beside it.
std::vector<std::string> ordered_verbs(const std::set<std::string>& verbs) {
  if (verbs.contains("*")) return {"*"};
  std::vector<std::string> list(verbs.begin(), verbs.end());
  std::sort(list.begin(), list.end(), verb_before);
  return list;
}

using Grants = std::map<Thing, Grant>;

Grants grants_of(const std::vector<SubjectRules>& asked) {
  Grants grants;
  for (const SubjectRules& from : asked) {
    for (const RbacRule& rule : from.rules) {
      for (const std::string& group : rule.api_groups) {
        for (const std::string& resource : rule.resources) {
          for (const std::string& name : names_of(rule)) {
            Grant& grant = grants[Thing{group, resource, name}];
            grant.verbs.insert(rule.verbs.begin(), rule.verbs.end());
            grant.optional = grant.optional && rule.optional;
            note_subject(grant.subjects, from.subject);
          }
        }
      }
    }
  }
  return grants;
}

// Removes from the rules for named objects what is granted for all objects of the kind.
void drop_covered(Grants& grants) {
  for (auto& [thing, grant] : grants) {
    if (thing.name.empty()) continue;
    const auto all = grants.find(Thing{thing.group, thing.resource, ""});
    if (all == grants.end()) continue;
    if (all->second.verbs.contains("*")) grant.verbs.clear();
    for (const std::string& verb : all->second.verbs) grant.verbs.erase(verb);
    if (!grant.verbs.empty()) continue;
    for (const std::string& subject : grant.subjects) note_subject(all->second.subjects, subject);
  }
}

}  // namespace

std::vector<MergedRule> merge_rules(const std::vector<SubjectRules>& asked) {
  Grants grants = grants_of(asked);
  drop_covered(grants);
  // Objects of one kind with the same verbs share a rule.
  using Key = std::tuple<std::string, std::string, bool, std::vector<std::string>>;
  std::map<Key, MergedRule> merged;
  for (const auto& [thing, grant] : grants) {
    if (grant.verbs.empty()) continue;
    const std::vector<std::string> verbs = ordered_verbs(grant.verbs);
    MergedRule& into = merged[Key{thing.group, thing.resource, !thing.name.empty(), verbs}];
    into.rule.api_groups = {thing.group};
    into.rule.resources = {thing.resource};
    into.rule.verbs = verbs;
    into.rule.optional = grant.optional && (into.subjects.empty() || into.rule.optional);
    if (!thing.name.empty()) into.rule.resource_names.push_back(thing.name);
    for (const std::string& subject : grant.subjects) note_subject(into.subjects, subject);
  }
  std::vector<MergedRule> rules;
  rules.reserve(merged.size());
  for (auto& [key, rule] : merged) rules.push_back(std::move(rule));
  return rules;
}

}  // namespace ccm::ctl

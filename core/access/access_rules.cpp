#include "access/access_rules.hpp"

#include <ccm/abi/instances.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ccm::access {

using plugin_files::Component;
using plugin_files::ComponentKind;
using plugin_files::Manifest;
using plugin_files::RbacRule;

namespace {

std::vector<std::string> names_of(const RbacRule& rule) {
  return rule.resource_names.empty() ? std::vector<std::string>{""} : rule.resource_names;
}

std::string text_of(const Permission& thing, const std::string& verbs) {
  std::string text = verbs;
  text += " " + thing.resource;
  if (!thing.api_group.empty()) text += "." + thing.api_group;
  if (!thing.name.empty()) text += " \"" + thing.name + "\"";
  if (!thing.namespace_name.empty()) text += " in namespace " + thing.namespace_name;
  if (!thing.service_account.empty()) text += " as " + user_of_account(thing.service_account);
  return text;
}

RbacRule needed_rule(std::string group, std::string resource, std::vector<std::string> verbs,
                     std::vector<std::string> names = {}) {
  return {{std::move(group)}, {std::move(resource)}, std::move(verbs), std::move(names), false};
}

RbacRule optional_rule(std::string group, std::string resource, std::vector<std::string> verbs,
                       std::vector<std::string> names = {}) {
  return {{std::move(group)}, {std::move(resource)}, std::move(verbs), std::move(names), true};
}

}  // namespace

std::string to_string(const Permission& permission) { return text_of(permission, permission.verb); }

std::string to_string(const std::vector<Permission>& permissions) {
  std::vector<std::pair<Permission, std::string>> grouped;  // without its verb, and all its verbs
  for (Permission thing : permissions) {
    const std::string verb = std::exchange(thing.verb, {});
    const auto known =
        std::ranges::find(grouped, thing, &std::pair<Permission, std::string>::first);
    if (known == grouped.end()) {
      grouped.emplace_back(std::move(thing), verb);
    } else {
      known->second += ", " + verb;
    }
  }
  std::string text;
  for (const auto& [thing, verbs] : grouped) {
    text += (text.empty() ? "" : "; ") + text_of(thing, verbs);
  }
  return text;
}

Permissions permissions_of(const std::vector<RbacRule>& rules, std::string_view namespace_name,
                           std::string_view service_account) {
  std::set<Permission> needs;
  std::set<Permission> likes;
  for (const RbacRule& rule : rules) {
    std::set<Permission>& all = rule.optional ? likes : needs;
    for (const std::string& group : rule.api_groups) {
      for (const std::string& resource : rule.resources) {
        for (const std::string& name : names_of(rule)) {
          for (const std::string& verb : rule.verbs) {
            all.insert({verb, group, resource, name, std::string(namespace_name),
                        std::string(service_account)});
          }
        }
      }
    }
  }
  for (const Permission& permission : needs) likes.erase(permission);
  return {{needs.begin(), needs.end()}, {likes.begin(), likes.end()}};
}

void add_permissions(Permissions& to, const Permissions& from) {
  const auto add = [](std::vector<Permission>& list, const Permission& permission) {
    if (std::find(list.begin(), list.end(), permission) == list.end()) list.push_back(permission);
  };
  for (const Permission& permission : from.needed) add(to.needed, permission);
  for (const Permission& permission : from.optional) add(to.optional, permission);
  std::erase_if(to.optional, [&](const Permission& permission) {
    return std::find(to.needed.begin(), to.needed.end(), permission) != to.needed.end();
  });
}

std::vector<RbacRule> rules_of(const Manifest& manifest,
                               const std::vector<std::string>& components) {
  std::vector<RbacRule> rules = manifest.rbac;
  std::erase_if(rules, [&](const RbacRule& rule) {
    return !rule.controllers.empty() &&
           std::find_first_of(rule.controllers.begin(), rule.controllers.end(), components.begin(),
                              components.end()) == rule.controllers.end();
  });
  return rules;
}

bool offers_instances(const Manifest& manifest, std::string_view provider) {
  const Component* component = manifest.find(ComponentKind::provider, provider);
  if (component == nullptr) return false;
  const auto& offered = component->interfaces;
  return std::find(offered.begin(), offered.end(), CCM_CLOUD_INSTANCES) != offered.end();
}

std::vector<RbacRule> host_rules(bool cloud_has_instances) {
  std::vector<RbacRule> rules{optional_rule("", "events", {"create", "patch"})};
  if (cloud_has_instances) rules.push_back(needed_rule("", "nodes", {"list", "watch"}));
  return rules;
}

std::vector<RbacRule> lease_rules(const std::vector<std::string>& names) {
  const std::string group = "coordination.k8s.io";
  return {needed_rule(group, "leases", {"create"}),
          needed_rule(group, "leases", {"get", "update"}, names),
          optional_rule(group, "leases", {"watch"}, names)};
}

std::vector<RbacRule> lease_candidate_rules() {
  const std::string group = "coordination.k8s.io";
  return {needed_rule(group, "leasecandidates", {"get", "create", "update"}),
          optional_rule(group, "leasecandidates", {"watch", "delete"})};
}

std::vector<RbacRule> authentication_rules() {
  return {optional_rule("authentication.k8s.io", "tokenreviews", {"create"})};
}

std::vector<RbacRule> authorization_rules() {
  return {optional_rule("authorization.k8s.io", "subjectaccessreviews", {"create"})};
}

std::vector<RbacRule> cluster_trust_rules() {
  return {optional_rule("", "configmaps", {"get", "list", "watch"},
                        {"extension-apiserver-authentication"})};
}

namespace {

void append_rules(std::vector<RbacRule>& to, const std::vector<RbacRule>& rules) {
  to.insert(to.end(), rules.begin(), rules.end());
}

// The part of the rules that informers use.
std::vector<RbacRule> cache_rules(std::vector<RbacRule> rules) {
  for (RbacRule& rule : rules) {
    std::erase_if(rule.verbs, [](const std::string& verb) {
      return verb != "list" && verb != "watch" && verb != "*";
    });
    if (!rule.verbs.empty() && rule.verbs.front() == "*") rule.verbs = {"list", "watch"};
  }
  std::erase_if(rules, [](const RbacRule& rule) { return rule.verbs.empty(); });
  return rules;
}

}  // namespace

std::string user_of_account(std::string_view service_account) {
  return "system:serviceaccount:" + std::string(kAccountNamespace) + ":" +
         std::string(service_account);
}

RulesByAccount rules_by_account(const Manifest& manifest,
                                const std::vector<std::string>& components) {
  RulesByAccount rules;
  for (const Component& component : manifest.components) {
    const bool runs = std::ranges::find(components, component.name) != components.end();
    if (!runs) continue;
    const std::vector<RbacRule> own = rules_of(manifest, {component.name});
    if (component.kind == ComponentKind::provider) {
      append_rules(rules[""], own);
    } else {
      append_rules(rules[component.client_name], own);
      append_rules(rules[""], cache_rules(own));
    }
  }
  return rules;
}

std::vector<RbacRule> token_rules(const std::vector<std::string>& accounts) {
  return {needed_rule("", "serviceaccounts/token", {"create"}, accounts),
          optional_rule("", "serviceaccounts", {"create"})};
}

}  // namespace ccm::access

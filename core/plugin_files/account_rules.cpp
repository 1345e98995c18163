#include "plugin_files/account_rules.hpp"

#include <algorithm>
#include <utility>

namespace ccm::plugin {
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
    const bool runs =
        std::find(components.begin(), components.end(), component.name) != components.end();
    if (!runs) continue;
    if (component.kind == ComponentKind::provider) {
      append_rules(rules[""], manifest.rbac);
    } else {
      append_rules(rules[component.client_name], manifest.rbac);
      append_rules(rules[""], cache_rules(manifest.rbac));
    }
  }
  return rules;
}

std::vector<RbacRule> token_rules(const std::vector<std::string>& accounts) {
  RbacRule tokens{{""}, {"serviceaccounts/token"}, {"create"}, accounts, false};
  RbacRule make{{""}, {"serviceaccounts"}, {"create"}, {}, true};
  return {std::move(tokens), std::move(make)};
}

}  // namespace ccm::plugin

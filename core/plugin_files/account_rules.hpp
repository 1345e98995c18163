// With --use-service-account-credentials each controller has a service account of its own: which
// rights are then whose (HOST-129, 132). Plain values; any thread.
#pragma once

#include "plugin_files/manifest.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::plugin {

constexpr std::string_view kAccountNamespace = "kube-system";

// "system:serviceaccount:kube-system:node-controller", as the API server calls it.
std::string user_of_account(std::string_view service_account);

// By service account; "" = the program's own identity.
using RulesByAccount = std::map<std::string, std::vector<RbacRule>>;

// The rules of a plugin. `components`: its components that run. A controller calls the API server
// under its account, a provider under the program's identity, which also fills the caches of all.
RulesByAccount rules_by_account(const Manifest& manifest,
                                const std::vector<std::string>& components);

// The rights in kAccountNamespace with which the program gets tokens of the accounts (RBAC-9, 10).
// To make an account is optional: whoever grants it rights may have made it.
std::vector<RbacRule> token_rules(const std::vector<std::string>& accounts);

}  // namespace ccm::plugin

#include "rbac_objects.hpp"

#include "access/access_rules.hpp"
#include "yaml_text.hpp"

#include <utility>

namespace ccm::ctl {
namespace {

using nlohmann::ordered_json;

constexpr const char* kGroup = "rbac.authorization.k8s.io";
constexpr const char* kReaderNamespace = "kube-system";  // where the cluster keeps its settings

ordered_json object(const std::string& kind, const std::string& name,
                    const std::string& namespace_name) {
  ordered_json result;
  result["apiVersion"] = kind == "ServiceAccount" ? std::string("v1") : std::string(kGroup) + "/v1";
  result["kind"] = kind;
  result["metadata"]["name"] = name;
  if (!namespace_name.empty()) result["metadata"]["namespace"] = namespace_name;
  return result;
}

ordered_json rules_of(const std::vector<MergedRule>& rules) {
  auto list = ordered_json::array();
  for (const MergedRule& merged : rules) {
    ordered_json rule;
    std::string subjects;
    for (const std::string& subject : merged.subjects)
      subjects += (subjects.empty() ? "" : ", ") + subject;
    rule[kComment] = (merged.rule.optional ? "optional: " : "") + subjects;
    rule["apiGroups"] = merged.rule.api_groups;
    rule["resources"] = merged.rule.resources;
    if (!merged.rule.resource_names.empty()) rule["resourceNames"] = merged.rule.resource_names;
    rule["verbs"] = merged.rule.verbs;
    list.push_back(std::move(rule));
  }
  return list;
}

struct Account {
  std::string namespace_name;
  std::string name;
};

// Binds `role`, a ClusterRole or a Role of the binding's namespace, to the service account.
ordered_json binding(const Account& account, const std::string& name,
                     const std::string& namespace_name, const std::string& role_kind,
                     const std::string& role) {
  ordered_json result =
      object(namespace_name.empty() ? "ClusterRoleBinding" : "RoleBinding", name, namespace_name);
  result["roleRef"]["apiGroup"] = kGroup;
  result["roleRef"]["kind"] = role_kind;
  result["roleRef"]["name"] = role;
  ordered_json subject;
  subject["kind"] = "ServiceAccount";
  subject["name"] = account.name;
  subject["namespace"] = account.namespace_name;
  result["subjects"] = ordered_json::array();
  result["subjects"].push_back(std::move(subject));
  return result;
}

void add_cluster_role(std::vector<ordered_json>& list, const Account& account,
                      const std::string& name, const std::vector<MergedRule>& rules) {
  list.push_back(object("ServiceAccount", account.name, account.namespace_name));
  list.push_back(object("ClusterRole", name, ""));
  list.back()["rules"] = rules_of(rules);
  list.push_back(binding(account, name, "", "ClusterRole", name));
}

// Rules of the host in one namespace.
void add_role(std::vector<ordered_json>& list, const Account& account, const std::string& name,
              const std::string& namespace_name, std::vector<plugin_files::RbacRule> rules) {
  list.push_back(object("Role", name, namespace_name));
  list.back()["rules"] =
      rules_of(merge_rules({{std::string(access::kHostSubject), std::move(rules)}}));
  list.push_back(binding(account, name, namespace_name, "Role", name));
}

// Each controller's account with its ClusterRole, and the right to have tokens of them.
void add_accounts(std::vector<ordered_json>& list, const RbacOptions& options,
                  const RbacRules& rules) {
  std::vector<std::string> names;
  const std::string space(access::kAccountNamespace);
  for (const auto& [name, granted] : rules.accounts) {
    names.push_back(name);
    add_cluster_role(list, {space, name}, options.name + ":" + name, granted);
  }
  if (names.empty()) return;
  add_role(list, {options.namespace_name, options.service_account},
           options.name + ":service-account-tokens", space, access::token_rules(names));
}

}  // namespace

std::vector<ordered_json> rbac_objects(const RbacOptions& options, const RbacRules& rules) {
  const Account program{options.namespace_name, options.service_account};
  std::vector<ordered_json> list;
  add_cluster_role(list, program, options.name, rules.cluster);
  add_accounts(list, options, rules);
  if (options.leader_elect) {
    std::vector<std::string> leases{options.lease_name};
    if (!options.migration_lease.empty()) leases.push_back(options.migration_lease);
    std::vector<plugin_files::RbacRule> wanted = access::lease_rules(leases);
    if (options.coordinated) {
      const auto candidates = access::lease_candidate_rules();
      wanted.insert(wanted.end(), candidates.begin(), candidates.end());
    }
    add_role(list, program, options.name, options.lease_namespace, std::move(wanted));
  }
  if (options.serving) {
    const std::string name = options.name + ":auth-delegator";
    list.push_back(binding(program, name, "", "ClusterRole", "system:auth-delegator"));
    list.back()[kComment] = "host: TokenReviews and SubjectAccessReviews for its endpoint";
  }
  if (options.serving && options.reads_authentication) {
    const std::string name = options.name + ":authentication-reader";
    list.push_back(binding(program, name, kReaderNamespace, "Role",
                           "extension-apiserver-authentication-reader"));
    list.back()[kComment] = "host: the cluster's client CA and front proxies";
  }
  return list;
}

}  // namespace ccm::ctl

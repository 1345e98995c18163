#include "rbac_objects.hpp"

#include "yaml_text.hpp"

#include <utility>

namespace ccm::ctl {
namespace {

using nlohmann::ordered_json;
using plugin::MergedRule;

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
    std::string askers;
    for (const std::string& asker : merged.askers) askers += (askers.empty() ? "" : ", ") + asker;
    rule[kComment] = (merged.rule.optional ? "optional: " : "") + askers;
    rule["apiGroups"] = merged.rule.api_groups;
    rule["resources"] = merged.rule.resources;
    if (!merged.rule.resource_names.empty()) rule["resourceNames"] = merged.rule.resource_names;
    rule["verbs"] = merged.rule.verbs;
    list.push_back(std::move(rule));
  }
  return list;
}

// Binds `role`, a ClusterRole or a Role of the binding's namespace, to the service account.
ordered_json binding(const RbacOptions& options, const std::string& name,
                     const std::string& namespace_name, const std::string& role_kind,
                     const std::string& role) {
  ordered_json result =
      object(namespace_name.empty() ? "ClusterRoleBinding" : "RoleBinding", name, namespace_name);
  result["roleRef"]["apiGroup"] = kGroup;
  result["roleRef"]["kind"] = role_kind;
  result["roleRef"]["name"] = role;
  ordered_json subject;
  subject["kind"] = "ServiceAccount";
  subject["name"] = options.service_account;
  subject["namespace"] = options.namespace_name;
  result["subjects"] = ordered_json::array();
  result["subjects"].push_back(std::move(subject));
  return result;
}

}  // namespace

std::vector<ordered_json> rbac_objects(const RbacOptions& options,
                                       const std::vector<MergedRule>& cluster_rules) {
  std::vector<ordered_json> list;
  list.push_back(object("ServiceAccount", options.service_account, options.namespace_name));
  list.push_back(object("ClusterRole", options.name, ""));
  list.back()["rules"] = rules_of(cluster_rules);
  list.push_back(binding(options, options.name, "", "ClusterRole", options.name));
  if (options.leader_elect) {
    const auto lease = plugin::merge_rules(
        {{std::string(plugin::kHostAsker), plugin::lease_rules(options.lease_name)}});
    list.push_back(object("Role", options.name, options.lease_namespace));
    list.back()["rules"] = rules_of(lease);
    list.push_back(binding(options, options.name, options.lease_namespace, "Role", options.name));
  }
  if (options.serving) {
    const std::string name = options.name + ":auth-delegator";
    list.push_back(binding(options, name, "", "ClusterRole", "system:auth-delegator"));
    list.back()[kComment] = "host: TokenReviews and SubjectAccessReviews for its endpoint";
  }
  if (options.serving && options.reads_authentication) {
    const std::string name = options.name + ":authentication-reader";
    list.push_back(binding(options, name, kReaderNamespace, "Role",
                           "extension-apiserver-authentication-reader"));
    list.back()[kComment] = "host: the cluster's client CA and front proxies";
  }
  return list;
}

}  // namespace ccm::ctl

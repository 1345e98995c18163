// The Kubernetes API rights that a set of plugins and the host need, in RBAC's terms: for the host,
// which compares them with the rights of its credential, and for `ccmctl rbac`, which prints the
// roles. Plain values; any thread.
#pragma once

#include "plugin_files/manifest.hpp"

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::access {

// The name of the host beside the ids of plugins.
constexpr std::string_view kHostSubject = "host";

// The smallest unit that RBAC grants or refuses.
struct Permission {
  std::string verb;
  std::string api_group;         // empty: the core group
  std::string resource;          // "nodes/status"
  std::string name;              // empty: of all objects
  std::string namespace_name{};  // empty: in all namespaces, or none for Nodes
  // A controller's own, in kube-system; empty: the program's identity.
  std::string service_account{};

  auto operator<=>(const Permission&) const = default;
};

// "patch nodes/status", "update leases.coordination.k8s.io \"a\" in namespace kube-system".
std::string to_string(const Permission& permission);
// "get, list nodes; patch nodes/status": the verbs of one resource stand together.
std::string to_string(const std::vector<Permission>& permissions);

// Every combination that the rules name, each once, sorted. If one rule requires it, it is
// required, even if another one declares it as optional.
struct Permissions {
  std::vector<Permission> needed;    // the plugin waits without them
  std::vector<Permission> optional;  // the plugin does less without them

  [[nodiscard]] bool empty() const { return needed.empty() && optional.empty(); }
  bool operator==(const Permissions&) const = default;
};
Permissions permissions_of(const std::vector<plugin_files::RbacRule>& rules,
                           std::string_view namespace_name = {},
                           std::string_view service_account = {});
// Adds only missing ones.
void add_permissions(Permissions& to, const Permissions& from);

// The rules of the manifest that count while these components of the plugin run.
std::vector<plugin_files::RbacRule> rules_of(const plugin_files::Manifest& manifest,
                                             const std::vector<std::string>& components);

// Whether the manifest's provider of that name says that it has instances.
bool offers_instances(const plugin_files::Manifest& manifest, std::string_view provider);

// The host's own cluster-wide rights: Events (RBAC-4, 22), without which it only records none, and
// the Nodes that it compares with a cloud's instances when the provider offers them.
std::vector<plugin_files::RbacRule> host_rules(bool cloud_has_instances);
// The host's rights in the namespace of its Leases (RBAC-3). Creating a Lease needs the right to
// create any, because a request to create has no name. Without the watch they are polled.
std::vector<plugin_files::RbacRule> lease_rules(const std::vector<std::string>& names);
// In the same namespace for its LeaseCandidate, whose name is a new one for each process. Without
// the watch it is polled; one that is not deleted expires.
std::vector<plugin_files::RbacRule> lease_candidate_rules();
// For the endpoint, all optional: reviews of its clients (RBAC-6, RBAC-7), and, in kube-system, the
// authorities of the cluster's client certificates (RBAC-8).
std::vector<plugin_files::RbacRule> authentication_rules();
std::vector<plugin_files::RbacRule> authorization_rules();
std::vector<plugin_files::RbacRule> cluster_trust_rules();

// With --use-service-account-credentials each controller has a service account of its own: which
// rights are then whose (HOST-129, 132). Plain values; any thread.

constexpr std::string_view kAccountNamespace = "kube-system";

// "system:serviceaccount:kube-system:node-controller", as the API server calls it.
std::string user_of_account(std::string_view service_account);

// By service account; "" = the program's own identity.
using RulesByAccount = std::map<std::string, std::vector<plugin_files::RbacRule>>;

// The rules of a plugin. `components`: its components that run. A controller calls the API server
// under its account, a provider under the program's identity, which also fills the caches of all.
RulesByAccount rules_by_account(const plugin_files::Manifest& manifest,
                                const std::vector<std::string>& components);

// The rights in kAccountNamespace with which the program gets tokens of the accounts (RBAC-9, 10).
// To make an account is optional: whoever grants it rights may have made it.
std::vector<plugin_files::RbacRule> token_rules(const std::vector<std::string>& accounts);

}  // namespace ccm::access

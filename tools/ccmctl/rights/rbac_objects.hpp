// The Kubernetes objects that grant a manager its rights: service account, roles and bindings.
#pragma once

#include "ccmctl/rights/merged_rules.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace ccm::ctl {

// Defaults are those of the manager's flags.
struct RbacOptions {
  std::string name = "system:cloud-controller-manager";  // of roles and bindings
  std::string namespace_name = "kube-system";            // of the service account
  std::string service_account = "cloud-controller-manager";
  bool leader_elect = true;
  std::string lease_name = "cloud-controller-manager";
  std::string migration_lease;  // of the leader migration; empty: there is none
  std::string lease_namespace = "kube-system";
  bool coordinated = false;          // the feature gate CoordinatedLeaderElection
  bool serving = true;               // reviews clients of its endpoint
  bool reads_authentication = true;  // kube-system/extension-apiserver-authentication (RBAC-8)
};

// The rules for each identity.
struct RbacRules {
  std::vector<MergedRule> cluster;  // of the program's ClusterRole
  // With --use-service-account-credentials: of the ClusterRole of each controller's account.
  std::map<std::string, std::vector<MergedRule>> accounts{};
};

// In the order in which they can be created.
std::vector<nlohmann::ordered_json> rbac_objects(const RbacOptions& options,
                                                 const RbacRules& rules);

}  // namespace ccm::ctl

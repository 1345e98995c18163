// The Kubernetes objects that grant a manager its rights: service account, roles and bindings.
#pragma once

#include "plugin_files/access_rules.hpp"

#include <nlohmann/json.hpp>

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
  std::string lease_namespace = "kube-system";
  bool serving = true;               // reviews clients of its endpoint
  bool reads_authentication = true;  // kube-system/extension-apiserver-authentication (RBAC-8)
};

// In the order in which they can be created. `cluster_rules` are those of the ClusterRole.
std::vector<nlohmann::ordered_json> rbac_objects(
    const RbacOptions& options, const std::vector<plugin::MergedRule>& cluster_rules);

}  // namespace ccm::ctl

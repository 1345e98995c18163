// The checks of ccmctl doctor, on what was read from the cloud. Pure.
#pragma once

#include "ccmctl/cloud/owned_need.hpp"
#include "ccmctl/rights/cloud_permissions.hpp"
#include "report.hpp"

#include <ccm/owned.hpp>
#include <ccm/status.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ccm::ctl {

// A session with the cloud that failed; the status' reason names the fault of the cloud, if it is
// one.
Finding check_cloud_failure(const Status& status);
// `slowness`: CloudSession::cloud_slowness().
Finding check_cloud_speed(const std::string& slowness);

// `missing`: those of `asked` of which the cloud's whole list of instances has none.
Finding check_machines(const nlohmann::json& nodes, const std::vector<std::string>& asked,
                       const std::vector<std::string>& missing);

// `trial`: how the log-in ended that tried them.
Finding check_cloud_permissions(const CloudPermissions& permissions, const Status& trial);

// Whether marks tell this cluster from others: those that name --cluster-name alone do not where it
// is the default.
Finding check_cluster_name(const std::vector<OwnedObject>& objects,
                           const std::string& cluster_name);
Finding check_orphans(const std::vector<OwnedObject>& objects, const ClusterObjects& cluster);
Finding check_doubled(const std::vector<OwnedObject>& objects, const ClusterObjects& cluster);
// Whether something lets clients in to the node ports of Services, as far as the provider tells.
Finding check_node_ports(const std::vector<OwnedObject>& objects, const ClusterObjects& cluster);

}  // namespace ccm::ctl

// The Services, Nodes and names of a cluster, read once and whole.
#pragma once

#include "ccmctl/manager/manager_query.hpp"
#include "owned_need.hpp"

#include <ccm/owned.hpp>
#include <ccm/status.hpp>

#include <string>

namespace ccm::ctl {

// "items" of a whole list, in pages. Failure: also when an answer is no list of that kind.
Result<nlohmann::json> whole_list(const ManagerOptions& options, const std::string& path,
                                  const std::string& kind);

// Failure: one line that names what could not be read.
Result<ClusterObjects> read_cluster(const ManagerOptions& options);

// The names of this cluster in marks: `cluster_name`, and the UID of its namespace kube-system.
Result<ClusterNames> names_of_cluster(const ManagerOptions& options,
                                      const std::string& cluster_name);

}  // namespace ccm::ctl

// Checks that everything has its desired state.
#pragma once

#include "cluster.hpp"

#include <string>
#include <vector>

namespace ccm::soak {

// One line for each thing that is not: a Node that is missing, not initialised or still there
// without its droplet; a Service without its load balancer, or with a wrong one; a load balancer
// that belongs to no Service; the firewall. At most some of each kind.
std::vector<std::string> audit(Cluster& cluster);

// Nodes that are gone although their droplets were there all the time.
int64_t wrongly_deleted(Cluster& cluster);

}  // namespace ccm::soak

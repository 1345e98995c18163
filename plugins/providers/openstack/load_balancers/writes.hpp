// The requests that make a load balancer as it is wanted (OS-253..OS-281). Any thread.
#pragma once

#include "existing.hpp"
#include "wanted.hpp"

#include <string>
#include <vector>

namespace ccm::openstack {

struct LoadBalancerWrite {
  std::string what;  // for people: "members of TCP port 80"
  std::string method;
  std::string path;  // below the service's URL
  std::string operation;
  std::string body;
};

// All of it in one request.
LoadBalancerWrite creation(const WantedLoadBalancer& wanted);

// From an ACTIVE one with its children, in their order: each makes the load balancer immutable for
// a while. Parts of parts that do not exist yet follow once it has been read again. Empty = it is
// as wanted.
std::vector<LoadBalancerWrite> differences(const WantedLoadBalancer& wanted,
                                           const ExistingLoadBalancer& existing);

// The members alone (OS-282).
std::vector<LoadBalancerWrite> member_differences(const WantedLoadBalancer& wanted,
                                                  const ExistingLoadBalancer& existing);

}  // namespace ccm::openstack

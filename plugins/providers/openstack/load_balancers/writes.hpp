// The requests that make a load balancer as it is wanted (OS-253..OS-281). Any thread.
#pragma once

#include "existing.hpp"
#include "ownership.hpp"
#include "wanted.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <string>
#include <vector>

namespace ccm::openstack {

struct LoadBalancerWrite {
  std::string what;  // for people: "members of TCP port 80"
  std::string method;
  std::string path;  // below the service's URL
  std::string operation;
  std::string body;
  std::string replaces{};  // what it takes away, for a dry run
};
using LoadBalancerWrites = std::vector<LoadBalancerWrite>;

// All of it in one request; without its listeners where the provider takes single calls only.
LoadBalancerWrite creation(const WantedLoadBalancer& wanted);

// A port that another Service's listener has (OS-261, OS-303): invalid_spec.
Status check_collisions(const WantedLoadBalancer& wanted, const ExistingLoadBalancer& existing);

// From an ACTIVE one with its children, in their order: each makes the load balancer immutable for
// a while. Parts of parts that do not exist yet follow once it has been read again. Empty = it is
// as wanted. Only listeners that are `ours`, and their pools, are touched.
LoadBalancerWrites differences(const WantedLoadBalancer& wanted,
                               const ExistingLoadBalancer& existing);
// The members and monitors alone (OS-282).
LoadBalancerWrites member_differences(const WantedLoadBalancer& wanted,
                                      const ExistingLoadBalancer& existing);

// The Service's tags on the load balancer; nothing when they are there.
LoadBalancerWrites tagging(const LoadBalancerService& service, Claim claim,
                           const ExistingLoadBalancer& existing, const std::string& cluster_uid);
LoadBalancerWrite tags_of(const ExistingLoadBalancer& existing,
                          const std::vector<std::string>& tags);

// Its own listeners and their pools; all of them.
LoadBalancerWrites removal_of_listeners(const ExistingLoadBalancer& existing);
LoadBalancerWrites removal_of_parts(const ExistingLoadBalancer& existing);
LoadBalancerWrite removal(const ExistingLoadBalancer& existing, bool cascade);

}  // namespace ccm::openstack

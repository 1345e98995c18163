// The owners of a load balancer (docs/decisions/0032). Each Service that uses one has two tags on
// it and on its listeners: its mark, "ccm-service:UID", and the name that the Go manager gives
// (OS-225). The mark is a proof; so is a name that is made from the Service's UID (OS-223). The
// name alone, as the Go manager leaves it, may be another cluster's. It is one together with what
// users of the Service cannot write:
//   - an address of the load balancer in the Service's status, unless the Service asks for it;
//   - members that are Nodes of this cluster, where the recorded ID leads to it.
// It counts as long as some name on the load balancer has no mark beside it. Any thread.
#pragma once

#include "existing.hpp"
#include "service_marks.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ccm::openstack {

enum class Claim {
  none,      // somebody else's
  owner,     // this Service's, perhaps among others
  guest,     // may be shared, and is not yet
  takeover,  // another one's, by the administrator's word
};

// `this_clusters`: whether something else proves that it is this cluster's; only where
// name_needs_proof().
Claim claim_of(const LoadBalancerService& service, const ExistingLoadBalancer& balancer,
               bool this_clusters = false);
// The Services whose names are on it; nothing when one of the names is none of this cluster, or the
// load balancer is marked for other clusters alone.
std::optional<std::vector<MarkedService>> users_of_cluster(const ExistingLoadBalancer& balancer,
                                                           const std::string& cluster_name,
                                                           const std::string& cluster_uid);
// Whether it bears the Service's name without a mark.
bool name_needs_proof(const LoadBalancerService& service, const ExistingLoadBalancer& balancer);
// Whether the Service's status shows one of its addresses, and a manager chose it.
// `floating_address`: of its floating IP; empty = none.
bool status_shows(const LoadBalancerService& service, const ExistingLoadBalancer& balancer,
                  const std::string& floating_address);

// A manager made it, this one or Go's; else it is the user's, and stays when its last Service goes
// (OS-301, OS-306).
bool made_by_a_manager(const ExistingLoadBalancer& balancer);
// How many other Services have their names or marks on it.
std::size_t other_users(const LoadBalancerService& service, const ExistingLoadBalancer& balancer);

// The other users that have a readable name.
std::vector<MarkedService> other_services(const LoadBalancerService& service,
                                          const ExistingLoadBalancer& balancer);
// Whether one of them is of its namespace.
bool others_of_namespace(const LoadBalancerService& service, const ExistingLoadBalancer& balancer);

// Whether the Service is the one of those sharing it that gets it a floating IP: the one that it is
// named after, and when that one is gone any of them.
bool may_make_public(const LoadBalancerService& service, const ExistingLoadBalancer& balancer);

// Sets `ours` of its listeners (OS-228).
void claim_listeners(const LoadBalancerService& service, Claim claim,
                     ExistingLoadBalancer& balancer);

// The tags of a load balancer with the Service's, and without those of others when it is taken
// over. A guest leaves its owner's proof: a name that only the load balancer itself has becomes a
// tag.
std::vector<std::string> with_own_tags(const LoadBalancerService& service, Claim claim,
                                       const ExistingLoadBalancer& balancer,
                                       const std::string& cluster_uid);
// The tags of a listener that is the Service's: the Go manager's one is enough.
std::vector<std::string> listener_tags(const WantedLoadBalancer& wanted,
                                       std::vector<std::string> tags);
std::vector<std::string> without_own_tags(const LoadBalancerService& service,
                                          std::vector<std::string> tags);

// Whether one more Service may share it. Failure: quota when max-shared-lb is reached (OS-299),
// invalid_spec for an internal Service (OS-300).
Status may_share(const ExistingLoadBalancer& balancer, bool internal, int32_t most);

}  // namespace ccm::openstack

// The owners of a load balancer (docs/decisions/0011). Each Service that uses one has two tags on
// it and on its listeners: its mark, "ccm-service:UID", and the name that the Go manager gives
// (OS-225). The mark is a proof. The name alone, as the Go manager leaves it, is one
//   - with the load balancer's ID in the Service's annotation, which the Go manager wrote;
//   - with its address in the Service's status, which users cannot write.
// It counts as long as some name on the load balancer has no mark beside it. A name that is made
// from the Service's UID (OS-223) is a proof, too. Any thread.
#pragma once

#include "existing.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <string>
#include <vector>

namespace ccm::openstack {

enum class Claim {
  none,      // somebody else's
  owner,     // this Service's, perhaps among others
  guest,     // may be shared, and is not yet
  takeover,  // another one's, by the administrator's word
};

// `floating_address`: of its floating IP; empty = none, or not known.
Claim claim_of(const LoadBalancerService& service, const ExistingLoadBalancer& balancer,
               const std::string& floating_address = {});
// Whether the Service's status shows an address of that kind; then claim_of() wants to know it.
bool status_decides(const LoadBalancerService& service, const ExistingLoadBalancer& balancer);

// A manager made it, this one or Go's; else it is the user's, and stays when its last Service goes
// (OS-301, OS-306).
bool made_by_a_manager(const ExistingLoadBalancer& balancer);
// How many other Services have their names or marks on it.
std::size_t other_users(const LoadBalancerService& service, const ExistingLoadBalancer& balancer);

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
                                       const ExistingLoadBalancer& balancer);
// Of a listener that is the Service's: the Go manager's one is enough.
std::vector<std::string> listener_tags(const WantedLoadBalancer& wanted,
                                       std::vector<std::string> tags);
std::vector<std::string> without_own_tags(const LoadBalancerService& service,
                                          std::vector<std::string> tags);

// Whether one more Service may share it. Failure: quota when max-shared-lb is reached (OS-299),
// invalid_spec for an internal Service (OS-300).
Status may_share(const ExistingLoadBalancer& balancer, bool internal, int32_t most);

}  // namespace ccm::openstack

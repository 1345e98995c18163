// Whose a load balancer is (AWS-117): by tags, which users do not write, and by a name or a tag
// made of the Service's UID. Any thread.
#pragma once

#include "aws/cluster.hpp"
#include "names.hpp"

#include <ccm/load_balancer.hpp>

#include <string>
#include <vector>

namespace ccm::aws {

enum class Claim {
  none,      // somebody else's
  owner,     // this Service's, perhaps among others
  guest,     // this cluster's: it may be shared when its Services consent
  takeover,  // another one's, by the administrator's word
};

// `id`: as it is recorded on Services.
struct Marked {
  std::string id;
  std::string name;
  Tags tags;
};

Claim claim_of(const LoadBalancerService& service, const Marked& balancer, const Cluster& cluster);

// Whether it is this cluster's: its tag, or the old one (AWS-17).
bool of_cluster(const Tags& tags, const Cluster& cluster);
// Whether what bears the tags was made for the cluster, not only shared with it.
bool made_for_cluster(const Tags& tags, const Cluster& cluster);
// Whether both tags name the Service, whatever its UID.
bool has_both_tags(const LoadBalancerService& service, const Tags& tags, const Cluster& cluster);

// Whether the Service is its owner, not only one of those that share it. Both marks are there when
// a handing over has failed half-way.
bool is_owner(const LoadBalancerService& service, const Marked& balancer, const Cluster& cluster);

// The failure NotOwned of `what`, "load balancer ID" for example, whose tags name another Service
// or none.
Status not_owned(std::string what);

// Whether a target group may be deleted with the listener that forwards to it: somebody's hand may
// have chosen it. Old managers gave theirs no tags.
bool is_made_target_group(const std::string& name, const Tags& tags, const Cluster& cluster);

// "NAMESPACE/NAME" of all Services of it but this one.
std::vector<std::string> other_users(const LoadBalancerService& service, const Marked& balancer);
// The tag of a Service that shares it.
std::string guest_tag(const std::string& uid);

}  // namespace ccm::aws

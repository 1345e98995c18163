// An instance of EC2 as the host knows instances (AWS-45 to AWS-55). Any thread.
#pragma once

#include "aws/cluster.hpp"
#include "ec2_instance.hpp"

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

// For each family of NodeIPFamilies in turn. ipv4: the private addresses of all cards, the public
// one, and the DNS names as InternalDNS, Hostname and ExternalDNS; ipv6: the first address of each
// card.
[[nodiscard]] std::vector<NodeAddress> addresses_of(const Ec2Instance& instance,
                                                    const std::vector<std::string>& families);

// terminated only when EC2 says so; shutdown for "stopped" only (AWS-55); starting while it is
// pending and has no address yet. An instance that stops or shuts down still runs.
[[nodiscard]] InstanceState state_of(const Ec2Instance& instance);

// Whether its tags say that it belongs to the cluster (AWS-43).
[[nodiscard]] bool is_of_cluster(const Ec2Instance& instance, const Cluster& cluster);

// The reason of check_of_cluster().
inline constexpr const char* kNotOfCluster = "InstanceNotOfCluster";
// Before anything is written on an instance or leads to it: its id comes from a Node, and so from a
// kubelet. Failure: kNotOfCluster, class waiting, when it lacks the cluster's tag or is in another
// VPC.
[[nodiscard]] Status check_of_cluster(const Ec2Instance& instance, const Cluster& cluster);

// Without labels. The name is the one by which a Node may be found in a listing: the private DNS
// name, or the id with `named_by_id`; empty for an instance without the cluster's tag, which is
// found by its provider ID alone.
[[nodiscard]] Instance view_of(const Ec2Instance& instance, const Cluster& cluster,
                               const std::vector<std::string>& families, bool named_by_id);

}  // namespace ccm::aws

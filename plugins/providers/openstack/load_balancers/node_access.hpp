// The security group through which a load balancer reaches the Nodes (OS-222, OS-317). [serial]
#pragma once

#include "openstack/network/floating_ips.hpp"
#include "openstack/network/security_groups.hpp"
#include "options.hpp"
#include "wanted.hpp"

#include <ccm/cluster_uid.hpp>
#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>

#include <string>

namespace ccm::openstack {

// `keeps_clients`: the Nodes see the clients' addresses, as with ovn, so the Service's ranges
// count.
WantedGroup wanted_group(const LoadBalancerService& service, const Backends& backends,
                         const ServiceOptions& options, const MemberRule& rule,
                         const Subnet& members, bool keeps_clients,
                         const std::string& cluster_uid = {});

class NodeAccess {
 public:
  NodeAccess(Host& host, Api& api, ClusterUid& cluster)
      : cluster_(cluster), groups_(host, api), networks_(api) {}

  // Makes it so, or with `write` = false only looks. Returns whether something differed.
  Task<Result<bool>> apply(Ctx ctx, const LoadBalancerService& service, const Backends& backends,
                           const ServiceOptions& options, const MemberRule& rule,
                           std::string member_subnet_id, bool keeps_clients, bool write);
  Task<Status> remove(Ctx ctx, const LoadBalancerService& service);

 private:
  ClusterUid& cluster_;
  SecurityGroups groups_;
  FloatingIps networks_;
};

}  // namespace ccm::openstack

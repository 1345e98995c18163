// The objects that a manager made in the project, by the rules of ccm/abi/owned.h: load balancers,
// floating IPs, security groups, and the routes that the router's tags record. [serial]
#pragma once

#include "cluster_marks.hpp"
#include "openstack/api.hpp"
#include "openstack/load_balancers/octavia.hpp"
#include "openstack/load_balancers/operations.hpp"
#include "openstack/network/floating_ips.hpp"
#include "openstack/network/security_groups.hpp"
#include "openstack/routes/routes.hpp"

#include <ccm/owned.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <vector>

namespace ccm::openstack {

class Owned {
 public:
  using Objects = std::vector<OwnedObject>;

  Owned(Host& host, Api& api, LoadBalancers& balancers, Routes& routes)
      : api_(api),
        octavia_(host, api),
        floating_ips_(api),
        groups_(host, api),
        balancers_(balancers),
        routes_(routes) {}
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Task<Result<Objects>> list(Ctx ctx, ClusterNames cluster);
  Task<Status> remove(Ctx ctx, ClusterNames cluster, OwnedObject object);

 private:
  Task<Status> list_load_balancers(Ctx ctx, std::vector<std::string> names, Objects& out);
  Task<Result<std::vector<FloatingIp>>> all_floating_ips(Ctx ctx);
  // `query`: "name=...&", or nothing.
  Task<Result<std::vector<NamedSecurityGroup>>> security_groups(Ctx ctx, std::string query);
  Task<Status> remove_load_balancer(Ctx ctx, ClusterNames cluster, OwnedObject object);
  Task<Status> remove_floating_ip(Ctx ctx, ClusterNames cluster, OwnedObject object);
  Task<Status> remove_security_group(Ctx ctx, ClusterNames cluster, OwnedObject object);

  Api& api_;
  Octavia octavia_;
  FloatingIps floating_ips_;
  SecurityGroups groups_;
  LoadBalancers& balancers_;
  Routes& routes_;
};

}  // namespace ccm::openstack

// Deletion of all that a Service has, whatever its annotations say by then (AWS-66, 95, 114, 139 to
// 143): by name and tag in both APIs, by the descriptions of rules, by the names of groups.
// [serial]
#pragma once

#include "aws/cluster.hpp"
#include "aws/config/settings.hpp"
#include "elb.hpp"
#include "elbv2.hpp"
#include "find.hpp"
#include "group_users.hpp"
#include "groups.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

class Removal {
 public:
  Removal(Host& host, Elbv2& elbv2, Elb& elb, Groups& groups, GroupUsers& users, Finder& finder,
          const Cluster& cluster, const Settings& settings)
      : host_(host),
        elbv2_(elbv2),
        elb_(elb),
        groups_(groups),
        users_(users),
        finder_(finder),
        cluster_(cluster),
        settings_(settings) {}

  // Class waiting until all is gone. Failures: those of AWS, not_found of a step included.
  Task<Status> remove_all(Ctx ctx, const LoadBalancerService& service);
  // Takes the rules of the load balancer with that mark away, and those for the groups.
  Task<Status> remove_rules(Ctx ctx, const LoadBalancerService& service, std::string mark,
                            std::vector<std::string> own);
  // Class waiting while AWS uses one of them, each time for longer.
  Task<Status> remove_groups(Ctx ctx, std::vector<std::string> ids);
  Task<Status> delete_network(Ctx ctx, NetworkBalancer balancer);
  Task<Status> delete_classic(Ctx ctx, std::string name);
  // Names of security groups that the Service may have had. Failure: that of the host's crypto.
  Result<std::vector<std::string>> own_names(const LoadBalancerService& service) const;
  // The Service's target groups that no load balancer uses.
  Task<Result<Elbv2::Groups>> tagged_orphans(Ctx ctx, const LoadBalancerService& service);

 private:
  Task<Status> remove_network(Ctx ctx, const LoadBalancerService& service);
  Task<Status> leave_network(Ctx ctx, const LoadBalancerService& service, Found found);
  Task<Status> remove_classic(Ctx ctx, const LoadBalancerService& service);
  // The groups of a load balancer that goes, whose rules in the groups of Nodes are the manager's.
  [[nodiscard]] std::set<std::string> groups_to_close(const std::vector<std::string>& ids) const;
  Task<Status> remove_orphan_groups(Ctx ctx, const LoadBalancerService& service);
  Task<Result<std::vector<std::string>>> own_group_ids(Ctx ctx, const LoadBalancerService& service);

  Host& host_;
  Elbv2& elbv2_;
  Elb& elb_;
  Groups& groups_;
  GroupUsers& users_;
  Finder& finder_;
  const Cluster& cluster_;
  const Settings& settings_;
  std::map<std::string, std::chrono::milliseconds> in_use_;  // by security group: the last pause
};

}  // namespace ccm::aws

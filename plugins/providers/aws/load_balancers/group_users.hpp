// Which load balancers have a security group. A rule for all traffic from a group of the user's, in
// a group of Nodes, is one for all load balancers in front of which the group is: EC2 tells rules
// apart by their source, not by their description. [serial]
#pragma once

#include "aws/cluster.hpp"
#include "elb.hpp"
#include "elbv2.hpp"
#include "groups.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <set>
#include <string>

namespace ccm::aws {

class GroupUsers {
 public:
  GroupUsers(Elbv2& elbv2, Elb& elb, Groups& groups, const Cluster& cluster)
      : elbv2_(elbv2), elb_(elb), groups_(groups), cluster_(cluster) {}

  // The groups of all classic and Network Load Balancers but the one with that name or ARN, of
  // whatever cluster, without those that are being deleted: of two that go at the same time each
  // would leave the rule for the other one. Failures: those of the listings.
  Task<Result<std::set<std::string>>> groups_of_others(Ctx ctx, std::string id);
  // Takes the Nodes' rules for groups that the load balancer with that name or ARN leaves away, as
  // far as no other one has them: source_removals(). A group need not be the first one here:
  // another load balancer, where it was, may have left its rule for this one. Failures: those of
  // the calls.
  Task<Status> close_nodes_to(Ctx ctx, std::string id, std::set<std::string> groups);
  // That load balancer is being deleted; or it is not any more.
  void goes(const std::string& id) { going_.insert(id); }
  void stays(const std::string& id) { going_.erase(id); }

 private:
  Elbv2& elbv2_;
  Elb& elb_;
  Groups& groups_;
  const Cluster& cluster_;
  std::set<std::string> going_;  // names of classic ones, ARNs
};

}  // namespace ccm::aws

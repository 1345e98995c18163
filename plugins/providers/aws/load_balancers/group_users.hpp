// Which load balancers have a security group. A rule for all traffic from a group of the user's, in
// a group of Nodes, is one for all load balancers in front of which the group is: EC2 tells rules
// apart by their source, not by their description. [serial]
#pragma once

#include "elb.hpp"
#include "elbv2.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <set>
#include <string>

namespace ccm::aws {

class GroupUsers {
 public:
  GroupUsers(Elbv2& elbv2, Elb& elb) : elbv2_(elbv2), elb_(elb) {}

  // The groups of all classic and Network Load Balancers but the one with that name or ARN, of
  // whatever cluster, without those that are being deleted: of two that go at the same time each
  // would leave the rule for the other one. Failures: those of the listings.
  Task<Result<std::set<std::string>>> groups_of_others(Ctx ctx, std::string id);
  // That load balancer is being deleted; or it is not any more.
  void goes(const std::string& id) { going_.insert(id); }
  void stays(const std::string& id) { going_.erase(id); }

 private:
  Elbv2& elbv2_;
  Elb& elb_;
  std::set<std::string> going_;  // names of classic ones, ARNs
};

}  // namespace ccm::aws

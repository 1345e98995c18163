// The steps of a plan for a Network Load Balancer: one or a few writes each. [serial]
#pragma once

#include "aws/cluster.hpp"
#include "elbv2.hpp"
#include "group_users.hpp"
#include "groups.hpp"
#include "network_subject.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

namespace ccm::aws {

// Each fills in the subject what it has made. Failures: those of AWS.
class NetworkSteps {
 public:
  NetworkSteps(Elbv2& elbv2, Groups& groups, GroupUsers& users, const Cluster& cluster)
      : elbv2_(elbv2), groups_(groups), users_(users), cluster_(cluster) {}

  Task<Status> make_managed_group(Ctx ctx, NetworkSubject& subject);
  // With its attributes. NotOwned: AWS gave the one of somebody else.
  Task<Status> make_balancer(Ctx ctx, NetworkSubject& subject);
  // With its attributes. NotOwned: one of that name is somebody else's.
  Task<Status> make_group(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  // Deletes one that no listener forwards to any more, unless it is somebody else's.
  Task<Status> drop_group(Ctx ctx, std::string arn);
  Task<Status> register_all(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  // Another protocol on the same port is a change of the listener, never a second one (AWS-106).
  Task<Status> make_listener(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  // A refusal is told, and stops nothing: then the Nodes' rules keep clients of IPv6 out.
  Task<Status> leave_ipv6(Ctx ctx, NetworkSubject& subject);
  // Additions or removals, by the groups as they are then.
  Task<Status> change_node_rules(Ctx ctx, NetworkSubject& subject, bool removals);

 private:
  Task<Status> check_made(Ctx ctx, const NetworkSubject& subject, const NetworkBalancer& made);
  // Leaves the port without a group when there is none of that name.
  Task<Status> take_over_group(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);

  Elbv2& elbv2_;
  Groups& groups_;
  GroupUsers& users_;
  const Cluster& cluster_;
};

}  // namespace ccm::aws

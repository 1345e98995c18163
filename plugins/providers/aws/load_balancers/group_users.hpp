// Which load balancers have a security group. A rule for all traffic from a group of the user's, in
// a group of Nodes, is one for all load balancers in front of which the group is: EC2 tells rules
// apart by their source, not by their description. [serial]
#pragma once

#include "aws/cluster.hpp"
#include "elb.hpp"
#include "elbv2.hpp"
#include "groups.hpp"
#include "tag_lists.hpp"

#include <ccm/hint.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

class GroupUsers {
 public:
  // The tags are those of all load balancers in the VPC, by ARN and by name.
  GroupUsers(const Hints& hints, Elbv2& elbv2, Elb& elb, Groups& groups,
             Snapshot<TagsByOwner>& network_tags, Snapshot<TagsByOwner>& classic_tags,
             const Cluster& cluster)
      : hints_(hints),
        elbv2_(elbv2),
        elb_(elb),
        groups_(groups),
        network_tags_(network_tags),
        classic_tags_(classic_tags),
        cluster_(cluster) {}

  // The groups of all classic and Network Load Balancers of the VPC but the one with that name or
  // ARN, and of which clusters these are, without those that are being deleted: of two that go at
  // the same time each would leave the rule for the other one. Failures: those of the listings.
  Task<Result<SourceUsers>> others(Ctx ctx, std::string id);
  // Takes the Nodes' rules for groups that the load balancer with that name or ARN leaves away, as
  // far as no other one needs them: source_removals(). A group need not be the first one here:
  // another load balancer, where it was, may have left its rule for this one. Failures: those of
  // the calls.
  Task<Status> close_nodes_to(Ctx ctx, std::string id, std::set<std::string> groups);
  // Takes part in a change by which rules for checks at `ports` from subnets go with the Service's
  // load balancer, `id`: its name or ARN. EC2 has one rule for all that check Nodes at one port,
  // with the mark of one: of those that others have in the same subnets one Service is looked at
  // afterwards, and writes it anew. Who these are is read before: a try that fails after the
  // change leaves nothing by which the next one would know. Failures: those of the listings and of
  // the change.
  Task<Status> apply(Ctx ctx, const LoadBalancerService& service, std::string id,
                     std::vector<RuleChange> changes);
  // That load balancer is being deleted; the try has ended, whichever way: a failed one counts
  // again, since nobody may ever repeat it.
  void goes(const std::string& id) { going_.insert(id); }
  void gone_or_not(const std::string& id) { going_.erase(id); }

 private:
  Task<Status> read_who_checks(Ctx ctx, const LoadBalancerService& service, std::string id,
                               std::set<std::string> ports, std::set<std::string>& keys);

  const Hints& hints_;
  Elbv2& elbv2_;
  Elb& elb_;
  Groups& groups_;
  Snapshot<TagsByOwner>& network_tags_;
  Snapshot<TagsByOwner>& classic_tags_;
  const Cluster& cluster_;
  std::set<std::string> going_;  // names of classic ones, ARNs
};

}  // namespace ccm::aws

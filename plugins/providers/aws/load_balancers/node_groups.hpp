// The rules of one load balancer in the security groups of Nodes (AWS-92, 109 to 111). Any thread.
#pragma once

#include "aws/cluster.hpp"
#include "options.hpp"
#include "rules.hpp"

#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

struct NodeAccess {
  std::string mark;         // of a Network Load Balancer: in the descriptions of its rules
  Rules wanted;             // of a Network Load Balancer
  Rules also_right;         // the form that the Go manager has; where a group has it, it stays
  SourceUsers others;       // of a Network Load Balancer: rules that they need stay
  std::string source;       // of a classic one: its first group
  bool own_source = false;  // the manager made that group
};

// The groups of the Nodes that get rules. Instances whose group is not clear are problems.
std::vector<std::string> node_group_ids(const std::vector<std::vector<std::string>>& instances,
                                        const SecurityGroups& groups, const Cluster& cluster,
                                        std::vector<Problem>& problems);

// What changes in all groups of the VPC: rules come into `chosen`, and go everywhere else.
std::vector<RuleChange> node_changes(const NodeAccess& access,
                                     const std::vector<std::string>& chosen,
                                     const SecurityGroups& groups, const Cluster& cluster);

// Every rule of a Network Load Balancer of that mark that no others need, and every one that names
// one of `own` groups.
std::vector<RuleChange> removal_changes(const std::string& mark,
                                        const std::vector<std::string>& own,
                                        const SourceUsers& others, const SecurityGroups& groups);

// Rules for all traffic from these groups, as load balancers have them in the groups of Nodes: with
// a description of ours, whoever's, or without one in a group that bears the cluster's tag. Others
// may have put such a rule into a group of theirs: it stays, as all others that name the groups,
// and those that other load balancers need. Groups of other clusters alone are left alone.
std::vector<RuleChange> source_removals(const std::set<std::string>& sources,
                                        const SourceUsers& others, const SecurityGroups& groups,
                                        const Cluster& cluster);

}  // namespace ccm::aws

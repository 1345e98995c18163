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
  std::string mark;  // in the descriptions of its rules
  Rules wanted;
  Rules also_right;    // the form that the Go manager has; where a group has it, it stays
  SourceUsers others;  // rules that they need stay
  // The group that the manager made for a classic load balancer: all traffic from there.
  std::string own_source;
};

// Whether the Nodes may have rules for security groups, none of them `own`, that the load balancer
// with that mark gets, has or had: others may need these, too.
bool may_share_rules(const SecurityGroups& groups, const std::string& mark, const std::string& own,
                     const std::vector<std::string>& gets, const std::vector<std::string>& has);
// Whether a rule of the load balancer with that mark is for a security group that is none of its
// `own`, so that others may need it. It may have left that group long ago.
bool bears_group_rules(const SecurityGroups& groups, const std::string& mark,
                       const std::vector<std::string>& own);

// The groups of the Nodes that get rules. Instances whose group is not clear are problems.
std::vector<std::string> node_group_ids(const std::vector<std::vector<std::string>>& instances,
                                        const SecurityGroups& groups, const Cluster& cluster,
                                        std::vector<Problem>& problems);

// What changes in all groups of the VPC: rules come into `chosen`, and go everywhere else.
std::vector<RuleChange> node_changes(const NodeAccess& access,
                                     const std::vector<std::string>& chosen,
                                     const SecurityGroups& groups);

// The ports of rules for checks from subnets that these changes take away.
std::set<std::string> closed_checks(const std::vector<RuleChange>& changes);

// Every rule of a Network Load Balancer of that mark that no others need, and every one that names
// one of `own` groups.
std::vector<RuleChange> removal_changes(const std::string& mark,
                                        const std::vector<std::string>& own,
                                        const SourceUsers& others, const SecurityGroups& groups);

// Rules from these groups that bear a description of ours, whoever's, and that no other load
// balancer needs. One without a description stays: somebody may have written it by hand, for a
// bastion say, and a Service that names that group and goes must not take it along. Groups of other
// clusters alone are left alone.
std::vector<RuleChange> source_removals(const std::set<std::string>& sources,
                                        const SourceUsers& others, const SecurityGroups& groups,
                                        const Cluster& cluster);

}  // namespace ccm::aws

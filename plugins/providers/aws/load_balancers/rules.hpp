// Rules of security groups as values, and what makes a group's rules the wanted ones, which
// `access_of` of both planners names (AWS-90 to 92, 109 to 112). Costs are linear in the rules. Any
// thread.
#pragma once

#include "aws/api/params.hpp"
#include "names.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ccm::aws {

// One permission for incoming traffic from one source.
struct Rule {
  std::string protocol;  // tcp, udp, icmp, icmpv6; "-1" = all
  int64_t from = -1;     // port, or type of ICMP; -1 with protocol "-1"
  int64_t to = -1;       // port, or code of ICMP
  std::string source;    // a range, the id of a group or of a prefix list
  std::string description{};

  // EC2 tells rules apart by all but the description.
  auto operator<=>(const Rule& other) const {
    return std::tie(protocol, from, to, source) <=>
           std::tie(other.protocol, other.from, other.to, other.source);
  }
  bool operator==(const Rule& other) const { return (*this <=> other) == 0; }

  [[nodiscard]] bool from_range() const { return source.find('/') != std::string::npos; }
  [[nodiscard]] bool from_group() const { return source.starts_with("sg-"); }
};
using Rules = std::set<Rule>;

struct SecurityGroup {
  std::string id;
  std::string name;
  std::string description;
  Tags tags;
  Rules rules;
};
using SecurityGroups = std::map<std::string, SecurityGroup, std::less<>>;  // by id

// Which other load balancers have a security group.
struct SourceUsers {
  std::string own;  // this cluster: a key of tags
  // The clusters of these load balancers, by the id of the group; "" stands for one that is not
  // known yet.
  std::map<std::string, std::set<std::string>, std::less<>> clusters;
};

// The keys "kubernetes.io/cluster/ID" in the tags; of the old tag the key that it has become.
std::set<std::string> clusters_of(const Tags& tags);
// Whether the tags of `holder` say that it is of this cluster's Nodes alone.
bool is_own_alone(const SourceUsers& users, const SecurityGroup& holder);
// Whether others may need the rules for `source` in `holder`. In a group of this cluster's Nodes
// alone these are this cluster's load balancers, whoever else has `source`; in one that several
// clusters share it is each of theirs; and in one without this cluster's tag it is every load
// balancer: its Nodes are in it all the same.
//
// The two errors are not alike. A rule that is left over keeps Nodes open to the members of a group
// that somebody chose for load balancers; it is seen, and taken away by hand. A rule that is taken
// from another cluster's load balancer ends its traffic, and nobody here sees or mends that. So
// where a group's tags do not say that it is this cluster's alone, the rule stays.
bool needed_by_others(const SourceUsers& users, const SecurityGroup& holder,
                      const std::string& source);

struct RuleChange {
  std::string group_id;
  Rules add;
  Rules remove;
  // The group's rules for the path MTU follow, which load balancers share.
  bool shares_path_mtu = false;

  [[nodiscard]] bool empty() const { return add.empty() && remove.empty(); }
};

// Traffic to one port from all of the ranges.
void allow_port(Rules& rules, const std::string& protocol, int32_t port,
                const std::vector<std::string>& ranges, const std::string& description);
// "Fragmentation needed" and "packet too big", which the path MTU discovery lives on.
void allow_path_mtu(Rules& rules, const std::vector<std::string>& ranges,
                    const std::string& description);
// All traffic from the members of a group.
void allow_group(Rules& rules, const std::string& group_id, const std::string& description);

// Makes a load balancer's own group have exactly those.
RuleChange exact_change(const SecurityGroup& group, const Rules& wanted);

// Makes a Network Load Balancer's rules in a group of Nodes be `wanted`: no others bear its name.
// The shared rules for the path MTU follow when anything changes. Superfluous rules for health
// checks, which the Go manager leaves (AWS-110), go with the next change. Rules for
// groups stay where `others` need them; those for a Service's own ports are nobody else's where the
// Nodes are of this cluster alone: two may use the same node port, for which EC2 has one rule.
RuleChange marked_rules_change(const SecurityGroup& group, const std::string& load_balancer,
                               const Rules& wanted, const SourceUsers& others = {});
// What its rules for the path MTU lack, and which of them nobody needs.
RuleChange path_mtu_change(const SecurityGroup& group);
// All traffic from `source`, which the manager made for one load balancer, or no rule from there.
RuleChange group_rule_change(const SecurityGroup& group, const std::string& source, bool allowed);

// The group of an instance that gets the rules (AWS-92): the only one of the cluster, else the only
// one; "" = it has none, or `why_not` says why none of several may be meant.
std::string group_of_instance(const std::vector<std::string>& groups, const SecurityGroups& known,
                              const std::string& cluster_tag, std::string& why_not);

// IpPermissions of AuthorizeSecurityGroupIngress and its counterpart: sources with the same ports
// in one permission (AWS-90).
void set_permissions(Params& params, const Rules& rules);

}  // namespace ccm::aws

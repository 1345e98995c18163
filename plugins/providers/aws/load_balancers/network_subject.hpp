// What an operation knows of a Service with a Network Load Balancer before it plans, and what
// follows from that alone. Any thread.
#pragma once

#include "elbv2.hpp"
#include "node_groups.hpp"
#include "subject.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

struct NetworkSubject : Subject {
  using Subject::Subject;

  // One that exists; else it is filled by the creation.
  NetworkBalancer balancer;
  bool exists = false;
  bool shared = false;                 // other Services have listeners on it
  bool guest = false;                  // another Service's, by consent
  bool leaves_ipv6 = false;            // it is to get addresses of IPv4 alone: NetworkPlanner
  std::set<std::string> own_arns;      // of a shared one: target groups with the Service's tags
  std::vector<std::string> orphans;    // ARNs of its target groups that no load balancer uses
  bool owns_certificates = false;      // kOwnCertificates
  bool owns_group_attributes = false;  // kOwnGroupAttributes

  // Filled by the planner and its steps.
  struct Port {
    WantedListener wanted;
    std::optional<Listener> existing;
    std::string group;      // ARN; empty = not made yet
    std::string old_group;  // one that is replaced
  };
  std::vector<Port> ports;
  std::vector<Listener> surplus;
  std::vector<Subnet> subnets;
  std::vector<std::string> own_groups;  // security groups that it is to have, without the managed
  std::string managed_group;            // name; empty = it has none
  std::string managed_id;
};

// Attributes that a new load balancer, or target group, does not have by itself.
Tags new_attributes(const NetworkSubject& subject);
Tags new_group_attributes(const NetworkSubject& subject);
// The entries of `wanted` that are not so yet. What is absent counts as empty.
Tags different(const Tags& wanted, const Tags& existing);
std::vector<WantedListener> wanted_of(const NetworkSubject& subject);

// Whether the Nodes see addresses of the load balancer in place of some clients': all of IPv6,
// since the targets are of IPv4, or of both families. Only a group of its own tells these clients
// apart.
bool hides_clients(const NetworkSubject& subject, bool dual_stack);

// What changes in the groups of Nodes. Instances whose group is not clear are problems.
std::vector<RuleChange> node_changes_of(NetworkSubject& subject, const SecurityGroups& groups,
                                        const Cluster& cluster);

}  // namespace ccm::aws

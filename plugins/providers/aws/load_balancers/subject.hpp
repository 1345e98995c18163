// All that an operation knows of its Service before it plans. Lives in the operation's frame.
#pragma once

#include "groups.hpp"
#include "network.hpp"
#include "options.hpp"
#include "plan.hpp"
#include "targets.hpp"
#include "vpc.hpp"

#include <ccm/crypto.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

struct Subject {
  explicit Subject(const LoadBalancerService& the_service) : service(the_service) {}

  const LoadBalancerService& service;
  ServiceOptions options;
  std::string name;  // of the load balancer
  // Its name by the UID, whatever its own: in the names and descriptions of what belongs to it.
  std::string mark;
  Tags tags;        // of load balancers, target groups and listeners
  Tags group_tags;  // of security groups
  Targets targets;
  std::vector<std::string> clients;  // ranges
  Snapshot<SecurityGroups>::Ptr groups;
  SourceUsers others;  // of groups, where the Nodes may have rules for groups of the user's
  Snapshot<Network>::Ptr network;
  bool members_only = false;  // update_backends
  // The load balancer is as an earlier process of ours left it, as far as the Service tells: what
  // listings do not show is not read before the next comparison.
  bool glance = false;
  std::string recorded_options;  // the value of kAppliedOptions that the Service has
  std::string applied_options;   // the one that it is to have; empty = it needs none
  std::string own_options;       // the value of kOwnOptions; empty = none

  Plan plan;
  std::vector<std::string> refused;  // targets that AWS did not take
  std::vector<Problem> problems;
  void add_problem(std::string_view reason, std::string_view text);
  std::string done;  // what was changed
};

// Ranges from which clients may come; all of both families where the Service names none.
std::vector<std::string> client_ranges(const LoadBalancerService& service, bool dual_stack);

// Tags of AWS-68. With the Service's UID where the name does not prove whose it is.
Tags resource_tags(const Subject& subject, const Cluster& cluster);
Tags group_tags(const Subject& subject, const Cluster& cluster);

// Fills both values of kAppliedOptions. `wish`: the options that no listing shows, in any form;
// empty = the usual ones. Ends the glance when the Service does not say that it has them. Failure:
// that of the host's crypto.
Status note_options(const Crypto& crypto, Subject& subject, std::string_view wish);

// Adds a word to own_options when the Service has the option now or said so before. Whether it
// does.
bool owns_option(Subject& subject, std::string_view word, bool now);

// Notes a problem when the load balancer that exists has another scheme than the Service wants: it
// keeps the one that it has.
void tell_of_scheme(Subject& subject, bool internal);

// Notes a problem when no group of Nodes is opened for the port of the health check.
void tell_of_health_port(Subject& subject);

// Whether the group may be taken for the manager's own: not another cluster's (AWS-89).
bool may_be_own(const SecurityGroup& group, const Cluster& cluster);
// The own group of that name; null = there is none.
const SecurityGroup* own_group(const SecurityGroups& groups, const std::string& name,
                               const Cluster& cluster);
// Failure: NotOwned when a group of another cluster has that name, which a VPC has once.
Status check_own_name(const SecurityGroups& groups, const std::string& name,
                      const Cluster& cluster);
// Failure: invalid_spec when one of the ids is no group of the VPC, or one that a manager made for
// a Service, and the load balancer does not have it yet.
Status check_groups(const SecurityGroups& groups, const std::vector<std::string>& ids,
                    const std::vector<std::string>& has);
// Whether a rule for each port and range is more than EC2 lets a group have.
bool too_many_rules(const Subject& subject);
// Notes that a load balancer that exists keeps its groups, since check_groups() refused the named
// ones: its Nodes are followed all the same.
void tell_of_kept_groups(Subject& subject, const Status& refused);

}  // namespace ccm::aws

// From what a Network Load Balancer is to what its Service wants, as a plan (AWS-96 to 113).
// [serial]
#pragma once

#include "aws/cluster.hpp"
#include "aws/config/settings.hpp"
#include "elbv2.hpp"
#include "group_users.hpp"
#include "groups.hpp"
#include "network_steps.hpp"
#include "network_subject.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <vector>

namespace ccm::aws {

class NetworkPlanner {
 public:
  NetworkPlanner(Host& host, Elbv2& elbv2, Groups& groups, GroupUsers& users,
                 const Cluster& cluster, const Settings& settings)
      : host_(host),
        elbv2_(elbv2),
        users_(users),
        cluster_(cluster),
        settings_(settings),
        steps_(elbv2, groups, users, cluster) {}

  // Adds to subject.plan; reads only. Failure: invalid_spec for what cannot be, before anything is
  // written; those of AWS.
  Task<Status> plan(Ctx ctx, NetworkSubject& subject);

 private:
  // Checks of the wish itself.
  Status choose_subnets_of(NetworkSubject& subject) const;
  Status choose_security_groups(NetworkSubject& subject) const;
  static void tell_of_what_stays(NetworkSubject& subject, const std::vector<Subnet>& chosen);
  static void fall_back_to_ipv4(NetworkSubject& subject);
  static void tell_of_ranges(NetworkSubject& subject);
  void plan_old_groups(NetworkSubject& subject);
  static Status claim_ports(NetworkSubject& subject, const std::vector<Listener>& listeners);
  Task<Status> plan_existing(Ctx ctx, NetworkSubject& subject);
  static bool listed_as_wanted(NetworkSubject& subject, const Elbv2::Groups& groups);
  Task<Status> plan_listeners(Ctx ctx, NetworkSubject& subject);
  Task<Status> plan_attributes(Ctx ctx, NetworkSubject& subject);
  Task<Status> plan_certificates(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  Task<Status> plan_group(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port,
                          const Elbv2::Groups& groups);
  Task<Status> plan_targets(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  void plan_creation(NetworkSubject& subject);
  void plan_managed_group(NetworkSubject& subject);
  void plan_zones(NetworkSubject& subject);
  void plan_address_type(NetworkSubject& subject);
  void plan_source_nat(NetworkSubject& subject);
  void plan_port(NetworkSubject& subject, NetworkSubject::Port& port);
  void plan_node_rules(NetworkSubject& subject, bool removals);
  void plan_surplus(NetworkSubject& subject, const Elbv2::Groups& groups);

  Host& host_;
  Elbv2& elbv2_;
  GroupUsers& users_;
  const Cluster& cluster_;
  const Settings& settings_;
  NetworkSteps steps_;
};

}  // namespace ccm::aws

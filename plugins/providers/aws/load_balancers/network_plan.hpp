// From what a Network Load Balancer is to what its Service wants, as a plan (AWS-96 to 113).
// [serial]
#pragma once

#include "aws/cluster.hpp"
#include "aws/config/settings.hpp"
#include "elbv2.hpp"
#include "group_users.hpp"
#include "groups.hpp"
#include "node_groups.hpp"
#include "subject.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

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
  bool leaves_ipv6 = false;            // it is to get addresses of IPv4 alone: plan_address_type()
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

class NetworkPlanner {
 public:
  NetworkPlanner(Host& host, Elbv2& elbv2, Groups& groups, GroupUsers& users,
                 const Cluster& cluster, const Settings& settings)
      : host_(host),
        elbv2_(elbv2),
        groups_(groups),
        users_(users),
        cluster_(cluster),
        settings_(settings) {}

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

  // Steps.
  Task<Status> make_managed_group(Ctx ctx, NetworkSubject& subject);
  Task<Status> check_made(Ctx ctx, const NetworkSubject& subject, const NetworkBalancer& made);
  Task<Status> make_balancer(Ctx ctx, NetworkSubject& subject);
  Task<Status> make_group(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  Task<Status> take_over_group(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  Task<Status> make_listener(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  Task<Status> register_all(Ctx ctx, NetworkSubject& subject, NetworkSubject::Port& port);
  Task<Status> leave_ipv6(Ctx ctx, NetworkSubject& subject);
  Task<Status> change_node_rules(Ctx ctx, NetworkSubject& subject, bool removals);

  [[nodiscard]] NodeAccess access_of(const NetworkSubject& subject) const;
  [[nodiscard]] std::vector<RuleChange> node_changes_of(NetworkSubject& subject,
                                                        const SecurityGroups& groups) const;

  Host& host_;
  Elbv2& elbv2_;
  Groups& groups_;
  GroupUsers& users_;
  const Cluster& cluster_;
  const Settings& settings_;
};

}  // namespace ccm::aws

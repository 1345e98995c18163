// From what a classic load balancer is to what its Service wants, as a plan (AWS-82 to 94).
// [serial]
#pragma once

#include "aws/cluster.hpp"
#include "aws/config/settings.hpp"
#include "classic.hpp"
#include "elb.hpp"
#include "group_users.hpp"
#include "groups.hpp"
#include "node_groups.hpp"
#include "subject.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

struct ClassicSubject : Subject {
  using Subject::Subject;

  ClassicBalancer balancer;  // one that exists; else it is filled by the creation
  bool exists = false;

  // Filled by the planner and its steps.
  WantedClassic wanted;
  std::vector<std::string> subnets;
  std::vector<std::string> named_groups;  // in place of its own
  std::string own_group;                  // name; empty = it gets none
  std::string own_id;                     // empty = not made yet
};

class ClassicPlanner {
 public:
  ClassicPlanner(Host& host, Elb& elb, Groups& groups, GroupUsers& users, const Cluster& cluster,
                 const Settings& settings)
      : host_(host),
        elb_(elb),
        groups_(groups),
        users_(users),
        cluster_(cluster),
        settings_(settings) {}

  // Adds to subject.plan; reads only. Failure: invalid_spec for what cannot be, before anything is
  // written; those of AWS.
  Task<Status> plan(Ctx ctx, ClassicSubject& subject);

 private:
  void keep_groups(ClassicSubject& subject) const;
  Status choose_security_groups(ClassicSubject& subject) const;
  Status choose_subnets_of(ClassicSubject& subject) const;
  Task<Status> plan_existing(Ctx ctx, ClassicSubject& subject);
  Task<Status> plan_attributes(Ctx ctx, ClassicSubject& subject);
  void plan_creation(ClassicSubject& subject);
  void plan_own_group(ClassicSubject& subject);
  void plan_groups(ClassicSubject& subject);
  void plan_subnets(ClassicSubject& subject);
  void plan_listeners(ClassicSubject& subject);
  void plan_policies(ClassicSubject& subject);
  void plan_instances(ClassicSubject& subject);
  void plan_node_rules(ClassicSubject& subject);
  void plan_old_groups(ClassicSubject& subject);

  // Steps.
  Task<Status> make_own_group(Ctx ctx, ClassicSubject& subject);
  Task<Status> make_balancer(Ctx ctx, ClassicSubject& subject);
  Task<Status> change_subnets(Ctx ctx, ClassicSubject& subject);
  Task<Status> set_policies(Ctx ctx, ClassicSubject& subject);
  Task<Status> change_node_rules(Ctx ctx, ClassicSubject& subject);

  [[nodiscard]] NodeAccess access_of(const ClassicSubject& subject) const;
  [[nodiscard]] std::vector<RuleChange> node_changes_of(ClassicSubject& subject,
                                                        const SecurityGroups& groups) const;

  Host& host_;
  Elb& elb_;
  Groups& groups_;
  GroupUsers& users_;
  const Cluster& cluster_;
  const Settings& settings_;
};

}  // namespace ccm::aws

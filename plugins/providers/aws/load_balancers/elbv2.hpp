// Calls about Network Load Balancers, their listeners and target groups. [serial]
#pragma once

#include "aws/api/client.hpp"
#include "network.hpp"
#include "snapshot.hpp"
#include "tag_lists.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

struct NetworkList {
  std::map<std::string, NetworkBalancer, std::less<>> by_name;
  std::map<std::string, std::string, std::less<>> names;  // by ARN

  [[nodiscard]] const NetworkBalancer* find(const std::string& name_or_arn) const;
};

struct NetworkCreation {
  std::string name;
  bool internal = false;
  bool dual_stack = false;
  bool udp = false;  // some of its listeners
  std::vector<Subnet> subnets;
  std::vector<std::string> allocations;
  std::vector<std::string> private_addresses;
  std::vector<std::string> groups;
  Tags tags;
};

class Elbv2 {
 public:
  Elbv2(Host& host, Client& client);

  // All of the account, 400 a call. Failures: those of Client::pages.
  Task<Result<Snapshot<NetworkList>::Ptr>> list(Ctx ctx, std::chrono::milliseconds max_age);
  // All target groups of the account, 400 a call.
  using Groups = std::map<std::string, TargetGroup, std::less<>>;  // by ARN
  Task<Result<Snapshot<Groups>::Ptr>> groups(Ctx ctx, std::chrono::milliseconds max_age);
  // The tags of balancers, listeners or target groups, 20 a call; one that is gone is left out.
  Task<Result<TagsByOwner>> tags(Ctx ctx, std::vector<std::string> arns);
  // Adds to `out`.
  Task<Status> listeners(Ctx ctx, std::string balancer_arn, std::vector<Listener>& out);
  Task<Result<Tags>> attributes(Ctx ctx, std::string balancer_arn);
  Task<Result<Tags>> group_attributes(Ctx ctx, std::string group_arn);
  // The instances that are registered and not on their way out.
  Task<Result<std::set<std::string>>> targets(Ctx ctx, std::string group_arn);
  // The certificates beyond the default one, which it adds to `out`.
  Task<Status> extra_certificates(Ctx ctx, std::string listener_arn, std::set<std::string>& out);

  // Writes. "Not found" of a deletion is success.
  Task<Result<NetworkBalancer>> create(Ctx ctx, NetworkCreation wish);
  // One of that name with other settings is a failure: DuplicateTargetGroupName.
  Task<Result<TargetGroup>> create_group(Ctx ctx, TargetGroup wish, std::string vpc_id, Tags tags);
  Task<Result<Listener>> create_listener(Ctx ctx, std::string balancer_arn, WantedListener wish,
                                         std::string group_arn, Tags tags);
  Task<Status> modify_listener(Ctx ctx, std::string balancer_arn, std::string listener_arn,
                               WantedListener wish, std::string group_arn);
  Task<Status> change_certificates(Ctx ctx, std::string listener_arn, std::string arn, bool add);
  Task<Status> modify_health(Ctx ctx, TargetGroup group, HealthCheck wish);
  Task<Status> modify_attributes(Ctx ctx, std::string balancer_arn, Tags changed);
  Task<Status> modify_group_attributes(Ctx ctx, std::string group_arn, Tags changed);
  // Instances that AWS refuses as InvalidTarget are left out, and are `refused` (AWS-73).
  Task<Status> register_targets(Ctx ctx, std::string group_arn, std::vector<std::string> instances,
                                std::vector<std::string>& refused);
  Task<Status> deregister_targets(Ctx ctx, std::string group_arn,
                                  std::vector<std::string> instances);
  Task<Status> set_subnets(Ctx ctx, NetworkBalancer balancer, std::vector<Subnet> subnets);
  Task<Status> set_address_type(Ctx ctx, NetworkBalancer balancer, bool dual_stack);
  Task<Status> set_groups(Ctx ctx, NetworkBalancer balancer, std::vector<std::string> groups);
  // To each of them, in that order.
  Task<Status> add_tags(Ctx ctx, std::vector<std::string> arns, Tags tags);
  Task<Status> remove_tag(Ctx ctx, std::string arn, std::string key);
  Task<Status> delete_listener(Ctx ctx, std::string arn);
  Task<Status> delete_group(Ctx ctx, std::string arn);
  Task<Status> delete_balancer(Ctx ctx, NetworkBalancer balancer);

  // A listing before that is not used any more.
  void forget();

 private:
  Task<Status> read_balancers(Ctx ctx, NetworkList& out);
  Task<Status> read_groups(Ctx ctx, Groups& out);
  Task<Result<Tags>> read_attributes(Ctx ctx, Call call);
  void note(const NetworkBalancer& balancer);
  void note(const TargetGroup& group);
  // The load balancer uses the group now.
  void note_use(const std::string& group_arn, const std::string& balancer_arn);
  // Carries the call out and notes the load balancer as it is then.
  Task<Status> change(Ctx ctx, Call call, NetworkBalancer done);
  Task<Status> remove(Ctx ctx, Call call);
  Task<Status> target_call(Ctx ctx, std::string action, std::string group_arn,
                           const std::vector<std::string>& instances);

  Client& client_;
  Snapshot<NetworkList> balancers_;
  Snapshot<Groups> groups_;
};

// The instances that a message of InvalidTarget or InvalidInstance names.
std::vector<std::string> named_instances(const std::string& message);

}  // namespace ccm::aws

// Calls about classic load balancers. [serial]
#pragma once

#include "aws/api/client.hpp"
#include "classic.hpp"
#include "snapshot.hpp"
#include "tag_lists.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

using ClassicList = std::map<std::string, ClassicBalancer, std::less<>>;  // by name

struct ClassicCreation {
  std::string name;
  bool internal = false;
  std::map<int64_t, ClassicListener> listeners;
  std::vector<std::string> subnets;
  std::vector<std::string> groups;
  Tags tags;
};

class Elb {
 public:
  Elb(Host& host, Client& client);

  // All of the account, 400 a call. Failures: those of Client::pages.
  Task<Result<Snapshot<ClassicList>::Ptr>> list(Ctx ctx, std::chrono::milliseconds max_age);
  // The tags of balancers, by name, 20 a call; one that is gone is left out.
  Task<Result<TagsByOwner>> tags(Ctx ctx, std::vector<std::string> names);
  Task<Result<ClassicAttributes>> attributes(Ctx ctx, std::string name);

  // Writes. They keep `balancer` as it is then.
  Task<Result<ClassicBalancer>> create(Ctx ctx, ClassicCreation wish);
  Task<Status> set_health(Ctx ctx, ClassicBalancer& balancer, ClassicHealth health);
  Task<Status> set_attributes(Ctx ctx, std::string name, ClassicAttributes attributes);
  Task<Status> delete_listeners(Ctx ctx, ClassicBalancer& balancer, std::vector<int64_t> ports);
  Task<Status> create_listeners(Ctx ctx, ClassicBalancer& balancer,
                                std::vector<ClassicListener> listeners);
  // Instances that AWS refuses as InvalidInstance are left out, and are `refused` (AWS-73).
  Task<Status> register_instances(Ctx ctx, ClassicBalancer& balancer,
                                  std::vector<std::string> instances,
                                  std::vector<std::string>& refused);
  Task<Status> deregister_instances(Ctx ctx, ClassicBalancer& balancer,
                                    std::vector<std::string> instances);
  Task<Status> attach_subnets(Ctx ctx, ClassicBalancer& balancer, std::vector<std::string> subnets);
  Task<Status> detach_subnets(Ctx ctx, ClassicBalancer& balancer, std::vector<std::string> subnets);
  Task<Status> set_groups(Ctx ctx, ClassicBalancer& balancer, std::vector<std::string> groups);
  // `type`: SSLNegotiationPolicyType, ProxyProtocolPolicyType. One that is there is success.
  Task<Status> create_policy(Ctx ctx, ClassicBalancer& balancer, std::string policy,
                             std::string type, Tags attributes);
  Task<Status> set_listener_policies(Ctx ctx, ClassicBalancer& balancer, int64_t port,
                                     std::vector<std::string> policies);
  Task<Status> set_port_policies(Ctx ctx, ClassicBalancer& balancer, int64_t instance_port,
                                 std::vector<std::string> policies);
  Task<Status> add_tags(Ctx ctx, std::string name, Tags tags);
  // "Not found" is success.
  Task<Status> delete_balancer(Ctx ctx, std::string name);

  void forget() { balancers_.forget(); }

 private:
  Task<Status> read_balancers(Ctx ctx, ClassicList& out);
  void note(const ClassicBalancer& balancer);
  // A call with LoadBalancerName; `done` is noted when it succeeds.
  Task<Status> write(Ctx ctx, Call call, ClassicBalancer& balancer, ClassicBalancer done);

  Client& client_;
  Snapshot<ClassicList> balancers_;
};

}  // namespace ccm::aws

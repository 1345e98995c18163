// The host's operations on load balancers (AWS-60 to 117), by the rules of ccm/provider.hpp.
// [serial]
//
// None of them waits. Each reads what is there, checks all that is asked for, and only then writes;
// what a crash leaves behind is found by name, tag and description by the next one.
#pragma once

#include "aws/api/client.hpp"
#include "aws/cluster.hpp"
#include "aws/config/settings.hpp"
#include "aws/nodes/ec2_instances.hpp"
#include "classic_plan.hpp"
#include "elb.hpp"
#include "elbv2.hpp"
#include "find.hpp"
#include "group_users.hpp"
#include "groups.hpp"
#include "leftovers.hpp"
#include "network_plan.hpp"
#include "owned.hpp"
#include "removal.hpp"
#include "vpc.hpp"
#include "watch.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/notices.hpp>
#include <ccm/owned.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ccm::aws {

class LoadBalancers {
 public:
  // All have to outlive it. `cluster` and `settings` are read at each call.
  LoadBalancers(Host& host, Client& client, Ec2Instances& instances, Zones& zones,
                const Cluster& cluster, const Settings& settings);
  LoadBalancers(const LoadBalancers&) = delete;
  LoadBalancers& operator=(const LoadBalancers&) = delete;

  Task<Result<LoadBalancer>> observe(Ctx ctx, LoadBalancerService service, Backends backends);
  // A failure hands over the load balancer as far as it was made.
  Task<Result<LoadBalancer>> ensure(Ctx ctx, LoadBalancerService service, Backends backends);
  // Targets, and what lets traffic reach them.
  Task<Result<LoadBalancer>> update(Ctx ctx, LoadBalancerService service, Backends backends);
  // Class waiting until all is gone. A success alone means that nothing is left, never not_found.
  Task<Status> remove(Ctx ctx, LoadBalancerService service);

  // By annotation, else by the UID.
  static std::string name(const LoadBalancerService& service) {
    return load_balancer_name_of(service);
  }
  // Services that share one wait for each other.
  static std::string lane(const LoadBalancerService& service) {
    return service.id.empty() ? service.adopt_id : service.id;
  }
  static LoadBalancerLimits limits();

  // By the rules of ccm/abi/owned.h: load balancers, target groups and security groups.
  Task<Result<std::vector<OwnedObject>>> list_owned(Ctx ctx, ClusterNames cluster) {
    return owned_.list(std::move(ctx), std::move(cluster));
  }
  Task<Status> remove_owned(Ctx ctx, ClusterNames cluster, OwnedObject object) {
    return owned_.remove(std::move(ctx), std::move(cluster), std::move(object));
  }

 private:
  enum class Mode { observe, ensure, update };

  Task<Result<LoadBalancer>> work(Ctx ctx, LoadBalancerService service, Backends backends,
                                  Mode mode);
  Task<Result<LoadBalancer>> work_on_network(Ctx ctx, NetworkSubject& subject, Found found,
                                             Mode mode);
  Task<Result<LoadBalancer>> work_on_classic(Ctx ctx, ClassicSubject& subject, Found found,
                                             Mode mode);
  // Options, targets, and what is known of the VPC.
  Task<Status> prepare(Ctx ctx, Subject& subject, const Backends& backends, const Found& found);
  // Instances of a recent listing; what is not there, or does not run, is asked about again.
  Task<Result<InstanceMap>> instances_of(Ctx ctx, const std::vector<std::string>& ids);
  [[nodiscard]] Tags missing_tags(const Subject& subject, const Found& found) const;
  void plan_tags(NetworkSubject& subject, const Found& found);
  void plan_tags(ClassicSubject& subject, const Found& found);
  Task<Status> tag_network(Ctx ctx, NetworkSubject& subject, Tags missing, bool whole);
  Task<Status> tag_classic(Ctx ctx, std::string name, Tags missing);
  Task<Status> plan_leftovers(Ctx ctx, Subject& subject, std::string id,
                              std::set<std::string> used);
  Task<Status> plan_shares(Ctx ctx, NetworkSubject& subject, const Found& found);
  Task<Status> plan_orphans(Ctx ctx, NetworkSubject& subject);
  [[nodiscard]] bool may_glance(const LoadBalancerService& service, const Found& found, Mode mode);
  // Whether the Service has to say first that its options are not known.
  [[nodiscard]] bool records_first(const Subject& subject, Mode mode, const std::string& id);
  // `existed`: before this operation.
  Result<LoadBalancer> finish(Subject& subject, Mode mode, bool existed, Status done,
                              LoadBalancer out);
  Task<Status> drop_group(Ctx ctx, std::string group_id);

  Host& host_;
  Ec2Instances& instances_;
  const Cluster& cluster_;
  const Settings& settings_;
  Elbv2 elbv2_;
  Elb elb_;
  Groups groups_;
  Finder finder_;
  GroupUsers users_;
  Removal removal_;
  OwnedParts owned_;
  Vpc vpc_;
  NetworkPlanner networks_;
  ClassicPlanner classics_;
  Leftovers leftovers_;
  Notices notices_;
  Watch watch_;
  std::map<std::string, int> records_asked_;  // by UID: annotations to be written before a change
  std::set<std::string> seen_;  // UIDs of Services whose load balancers this process has looked at
};

}  // namespace ccm::aws

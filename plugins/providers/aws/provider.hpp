// AWS as a provider: coroutines on the host's loop. [serial]
#pragma once

#include "api/client.hpp"
#include "api/imds.hpp"
#include "cluster.hpp"
#include "config/environment.hpp"
#include "config/profiles.hpp"
#include "config/settings.hpp"
#include "credentials/credentials.hpp"
#include "load_balancers/operations.hpp"
#include "nodes/ec2_instances.hpp"
#include "nodes/nodes.hpp"
#include "routes/routes.hpp"
#include "session.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/owned.hpp>
#include <ccm/route.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ccm::aws {

class Provider {
 public:
  Provider(Host& host, Session& session) : Provider(host, session, Environment::of_process()) {}
  // For tests.
  Provider(Host& host, Session& session, Environment environment);

  // Reads the configuration, finds keys, region, VPC and the cluster's id (AWS-10 to AWS-28), and
  // asks AWS once, so that keys that are refused show at once. invalid_argument, one line, when the
  // configuration is wrong; AWS's own failure when it cannot be reached or refuses.
  Task<Status> initialize(Ctx ctx);
  // It has one, or initialize() fails (AWS-4).
  bool has_cluster_id() { return true; }

  // See nodes/nodes.hpp.
  Task<Result<InstanceList>> list(Ctx ctx) { return nodes_.list(std::move(ctx)); }
  Task<Result<std::vector<Instance>>> describe(Ctx ctx, std::vector<NodeIdentity> nodes) {
    return nodes_.describe(std::move(ctx), std::move(nodes));
  }
  Task<Result<InstanceLimits>> instance_limits(Ctx /*ctx*/) { co_return Nodes::limits(); }

  // See routes/routes.hpp.
  Task<Result<std::vector<Route>>> list_routes(Ctx ctx, std::string cluster_name) {
    return routes_.list(std::move(ctx), std::move(cluster_name));
  }
  Task<Result<std::vector<Status>>> apply_routes(Ctx ctx, std::string cluster_name,
                                                 std::vector<Route> removals,
                                                 std::vector<Route> additions) {
    return routes_.apply(std::move(ctx), std::move(cluster_name), std::move(removals),
                         std::move(additions));
  }
  Task<Result<RouteLimits>> route_limits(Ctx /*ctx*/) { co_return Routes::limits(); }

  // See load_balancers/operations.hpp.
  Task<Result<LoadBalancer>> ensure_load_balancer(Ctx ctx, LoadBalancerService service,
                                                  Backends backends) {
    return balancers_.ensure(std::move(ctx), std::move(service), std::move(backends));
  }
  Task<Result<LoadBalancer>> observe_load_balancer(Ctx ctx, LoadBalancerService service,
                                                   Backends backends) {
    return balancers_.observe(std::move(ctx), std::move(service), std::move(backends));
  }
  Task<Result<LoadBalancer>> update_load_balancer(Ctx ctx, LoadBalancerService service,
                                                  Backends backends) {
    return balancers_.update(std::move(ctx), std::move(service), std::move(backends));
  }
  Task<Status> delete_load_balancer(Ctx ctx, LoadBalancerService service) {
    return balancers_.remove(std::move(ctx), std::move(service));
  }
  Task<Result<std::string>> load_balancer_name(Ctx /*ctx*/, LoadBalancerService service) {
    co_return LoadBalancers::name(service);
  }
  Task<Result<std::string>> load_balancer_lane(Ctx /*ctx*/, LoadBalancerService service) {
    co_return LoadBalancers::lane(service);
  }
  Task<Result<LoadBalancerLimits>> load_balancer_limits(Ctx /*ctx*/) {
    co_return LoadBalancers::limits();
  }
  Task<Result<std::vector<OwnedObject>>> list_owned(Ctx ctx, ClusterNames cluster) {
    return balancers_.list_owned(std::move(ctx), std::move(cluster));
  }
  Task<Status> remove_owned(Ctx ctx, ClusterNames cluster, OwnedObject object) {
    return balancers_.remove_owned(std::move(ctx), std::move(cluster), std::move(object));
  }

 private:
  Result<Settings> read_settings() const;
  // Takes what changed in --cloud-config. Where the cluster is, and by which keys, counts from the
  // start alone: another answer in the middle would make every Node's instance vanish.
  void reload();
  Task<Result<Http>> open_client(Ctx ctx, HttpClientOptions options);
  Task<Status> reach(Ctx ctx, const Profiles& profiles);
  // Tries the permissions that --aws-try-permissions lists.
  Task<Status> try_permissions(Ctx ctx);
  void tell_unused(const std::vector<std::string>& overrides) const;

  Host& host_;
  const Environment environment_;
  bool started_ = false;
  Settings settings_;
  Cluster cluster_;
  Imds imds_;
  Credentials credentials_;
  Client client_;
  Ec2Instances instances_;
  Zones zones_;
  Nodes nodes_;
  LoadBalancers balancers_;
  Routes routes_;
};

}  // namespace ccm::aws

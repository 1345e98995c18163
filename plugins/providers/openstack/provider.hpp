// OpenStack as a provider: coroutines on the host's loop. [serial]
#pragma once

#include "api.hpp"
#include "compute/regions.hpp"
#include "config/settings.hpp"
#include "identity/session.hpp"
#include "load_balancers/operations.hpp"
#include "owned/owned.hpp"
#include "routes/routes.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm::openstack {

class Provider {
 public:
  explicit Provider(Host& host);

  // Reads cloud.conf, logs in, looks for Nova and Neutron in the catalog. invalid_argument, one
  // line, when cloud.conf is wrong; the cloud's own failure when it cannot be reached or refuses
  // the log-in, which the host tries again (OS-8 does not).
  Task<Status> initialize(Ctx ctx);
  // Revokes the token.
  Task<Status> shutdown(Ctx ctx) { return session_.log_out(std::move(ctx)); }
  // The Go manager says so, too, so that --allow-untagged-cloud never matters (OS-3).
  bool has_cluster_id() { return true; }

  // See compute/regions.hpp.
  Task<Result<InstanceList>> list(Ctx ctx) { return regions_.list(std::move(ctx)); }
  Task<Result<Instance>> get(Ctx ctx, NodeIdentity node) {
    return regions_.get(std::move(ctx), std::move(node));
  }

  // Routes only with [Route] router-id (OS-113, OS-177); load balancers where the catalog has
  // Octavia and [LoadBalancer] enabled is not false (OS-115). Both are looked at once, after the
  // log-in.
  [[nodiscard]] bool offers(std::string_view id) const;
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
    return load_balancers_.ensure(std::move(ctx), std::move(service), std::move(backends));
  }
  Task<Result<LoadBalancer>> observe_load_balancer(Ctx ctx, LoadBalancerService service,
                                                   Backends backends) {
    return load_balancers_.observe(std::move(ctx), std::move(service), std::move(backends));
  }
  Task<Result<LoadBalancer>> update_load_balancer(Ctx ctx, LoadBalancerService service,
                                                  Backends backends) {
    return load_balancers_.update(std::move(ctx), std::move(service), std::move(backends));
  }
  Task<Status> delete_load_balancer(Ctx ctx, LoadBalancerService service) {
    return load_balancers_.remove(std::move(ctx), std::move(service));
  }
  Result<std::string> load_balancer_name(const Ctx& /*ctx*/, const LoadBalancerService& service) {
    return openstack::load_balancer_name(service);
  }
  Result<std::string> load_balancer_lane(const Ctx& /*ctx*/, const LoadBalancerService& service) {
    return LoadBalancers::lane(service);
  }
  Task<Result<LoadBalancerLimits>> load_balancer_limits(Ctx /*ctx*/) {
    co_return LoadBalancers::limits();
  }

  // See owned/owned.hpp.
  Task<Result<std::vector<OwnedObject>>> list_owned(Ctx ctx, ClusterNames cluster) {
    return owned_.list(std::move(ctx), std::move(cluster));
  }
  Task<Status> remove_owned(Ctx ctx, ClusterNames cluster, OwnedObject object) {
    return owned_.remove(std::move(ctx), std::move(cluster), std::move(object));
  }

 private:
  // What cloud.conf says, and clouds.yaml if it refers to one.
  Task<Result<Settings>> read_settings(Ctx ctx);
  // Reloads when one of these files changes.
  void watch(const std::vector<std::string>& paths);
  // Opens the HTTP client that they want, and puts them in force. Failure: that of the client; the
  // earlier settings stay.
  Task<Status> use(Ctx ctx, Settings settings);
  Task<Status> reload();
  // Whether Keystone takes these, before those in use are dropped.
  Task<Status> try_out(Ctx ctx, const Settings& settings);
  Task<Status> look_for_octavia(Ctx ctx);
  void tell_default_name() const;

  Host& host_;
  Session session_;
  Api api_;
  Regions regions_;
  Routes routes_;
  LoadBalancers load_balancers_;
  Owned owned_;
  Settings settings_;
  std::vector<std::string> watched_paths_;
  std::vector<uint64_t> watches_;
  int64_t reloads_ = 0;
  int64_t asked_ = 0;  // how often other settings were to be used
  bool octavia_ = false;
};

}  // namespace ccm::openstack

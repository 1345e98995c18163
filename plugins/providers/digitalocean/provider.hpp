// DigitalOcean as a provider: coroutines on the host's loop. [serial]
#pragma once

#include "api.hpp"
#include "droplets.hpp"
#include "load_balancers/operations.hpp"
#include "owned/owned.hpp"
#include "settings.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ccm::digitalocean {

// It does not declare whether it has a cluster id: without one the host would ask for
// --allow-untagged-cloud, which manifests for DigitalOcean's own manager do not set (DO-62).
class Provider {
 public:
  explicit Provider(Host& host);

  // Reads the configuration, tests the token, checks region and VPC. invalid_argument, one line,
  // when the configuration is wrong; the cloud's own failure when it cannot be reached or refuses
  // the token.
  Task<Status> initialize(Ctx ctx);
  // Every droplet of the account, GPU droplets too (DO-72).
  Task<Result<InstanceList>> list(Ctx ctx);
  // By ID when the Node has one, else by name or address (DO-65..DO-74). not_found only when the
  // cloud said so; implemented_elsewhere for another cloud's ID.
  Task<Result<Instance>> get(Ctx ctx, NodeIdentity node);

  // See load_balancers/operations.hpp.
  Task<Result<LoadBalancer>> observe_load_balancer(Ctx ctx, LoadBalancerService service,
                                                   Backends backends);
  Task<Result<LoadBalancer>> ensure_load_balancer(Ctx ctx, LoadBalancerService service,
                                                  Backends backends);
  Task<Result<LoadBalancer>> update_load_balancer(Ctx ctx, LoadBalancerService service,
                                                  Backends backends);
  Task<Status> delete_load_balancer(Ctx ctx, LoadBalancerService service);
  Result<std::string> load_balancer_name(Ctx ctx, LoadBalancerService service);
  Result<LoadBalancerLimits> load_balancer_limits(Ctx ctx);

  // See owned/owned.hpp.
  Task<Result<std::vector<OwnedObject>>> list_owned(Ctx ctx, ClusterNames cluster) {
    return owned_.list(std::move(ctx), std::move(cluster));
  }
  Task<Status> remove_owned(Ctx ctx, ClusterNames cluster, OwnedObject object) {
    return owned_.remove(std::move(ctx), std::move(cluster), std::move(object));
  }

 private:
  void tell_unmanaged_ports(const Settings& settings) const;
  void tell_unused_addresses() const;
  void tell_config_error(const Object& service, const Status& status) const;
  Task<Status> check_credential(Ctx ctx);  // one short call
  Task<Status> learn_cluster(Ctx ctx, Settings& settings);
  Task<Status> check_region(Ctx ctx);
  Task<Status> check_vpc(Ctx ctx);

  Host& host_;
  Api api_;
  Droplets droplets_;
  LoadBalancerOperations load_balancers_;
  Owned owned_;
};

}  // namespace ccm::digitalocean

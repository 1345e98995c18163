#include "provider.hpp"

#include <utility>

namespace ccm::static_provider {

Task<Status> Provider::initialize(Ctx) {
  auto configuration = co_await file_.in_force();
  co_return configuration.status();
}

// The controllers of what the file does not have leave the cluster alone.
bool Provider::offers(std::string_view interface) {
  const auto& configuration = file_.known();
  if (!configuration) return false;
  if (interface == CCM_CLOUD_INSTANCES) return configuration->nodes.has_value();
  if (interface == CCM_CLOUD_LOADBALANCERS) return configuration->address_pools.has_value();
  return false;
}

Task<Result<InstanceList>> Provider::list(Ctx) {
  auto configuration = co_await file_.in_force();
  if (!configuration.ok()) co_return configuration.status();
  co_return InstanceList((*configuration)->nodes.value());
}

Task<Result<LoadBalancer>> Provider::observe_load_balancer(Ctx, LoadBalancerService service,
                                                           Backends) {
  auto configuration = co_await file_.in_force();
  if (!configuration.ok()) co_return configuration.status();
  co_return load_balancers_.observe(service, (*configuration)->address_pools.value());
}

Task<Result<LoadBalancer>> Provider::ensure_load_balancer(Ctx ctx, LoadBalancerService service,
                                                          Backends) {
  auto configuration = co_await file_.in_force();
  if (!configuration.ok()) co_return configuration.status();
  auto pools = (*configuration)->address_pools.value();
  auto ensured = co_await load_balancers_.ensure(ctx, std::move(service), std::move(pools));
  co_return ensured;
}

Task<Status> Provider::delete_load_balancer(Ctx, LoadBalancerService service) {
  co_return load_balancers_.remove(service);
}

}  // namespace ccm::static_provider

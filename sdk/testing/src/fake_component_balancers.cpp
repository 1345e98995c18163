#include "ccm/testing/fake_component.hpp"

namespace ccm::testing {
namespace {

using BalancerTable = Service<ccm_cloud_loadbalancers>;

BalancerTable balancers_of(const FakeComponent& component) {
  return component.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
}

}  // namespace

Pending<Result<LoadBalancer>> FakeComponent::start_ensure_load_balancer(const Ctx& ctx,
                                                                        LoadBalancerService service,
                                                                        Backends backends) {
  return start("ensure",
               LoadBalancers::Apply{balancers_of(*this), &ccm_cloud_loadbalancers::ensure, "ensure",
                                    ctx, std::move(service), std::move(backends)});
}

Result<LoadBalancer> FakeComponent::observe_load_balancer(LoadBalancerService service,
                                                          Backends backends) {
  return finish(start(
      "observe", LoadBalancers::Apply{balancers_of(*this), &ccm_cloud_loadbalancers::observe,
                                      "observe", ctx(), std::move(service), std::move(backends)}));
}

Result<LoadBalancer> FakeComponent::update_load_balancer(LoadBalancerService service,
                                                         Backends backends) {
  return finish(start(
      "update_backends",
      LoadBalancers::Apply{balancers_of(*this), &ccm_cloud_loadbalancers::update_backends,
                           "update_backends", ctx(), std::move(service), std::move(backends)}));
}

Status FakeComponent::delete_load_balancer(LoadBalancerService service) {
  return finish(
      start("remove", LoadBalancers::Remove{balancers_of(*this), ctx(), std::move(service)}));
}

}  // namespace ccm::testing

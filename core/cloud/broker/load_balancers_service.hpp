// ccm.cloud.loadbalancers/1 for controllers, served by the broker instead of the provider.
// Every function is set, and unlike a provider's may be called from any thread.
#pragma once

#include "cloud/broker/load_balancers_broker.hpp"
#include "cloud/broker/service_call.hpp"

#include <ccm/abi/loadbalancers.h>

namespace ccm::plugin {

class LoadBalancersService final : public CloudService<LoadBalancersBroker> {
 public:
  LoadBalancersService(const std::shared_ptr<LiveComponent>& component,
                       std::shared_ptr<LoadBalancersBroker> broker)
      : CloudService(component, CCM_CLOUD_LOADBALANCERS, &kTable, std::move(broker)) {}

 private:
  using Operation = decltype(&LoadBalancersBroker::ensure);
  using Asked = const ccm_load_balancer_request*;

  // `ask(broker, request, operation)` runs on the loop.
  template <typename Ask>
  static void ask(void* self, ccm_ctx ctx, Asked request, ccm_completion done, const char* name,
                  Ask ask);
  static void perform(void* self, ccm_ctx ctx, Asked request, ccm_completion done, const char* name,
                      Operation operation) noexcept;
  static void observe(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void ensure(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void update_backends(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void remove(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void name(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void lane(void* self, ccm_ctx ctx, Asked request, ccm_completion done) noexcept;
  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) noexcept;
  static const ccm_cloud_loadbalancers kTable;
  detail::BackendLists lists_;
};

}  // namespace ccm::plugin

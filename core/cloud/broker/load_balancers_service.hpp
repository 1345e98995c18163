// draft.ccm.cloud.loadbalancers/1 for controllers, served by the broker instead of the provider.
// Every function is set, and unlike a provider's may be called from any thread.
#pragma once

#include "cloud/broker/load_balancers_broker.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/loadbalancers.h>

#include <memory>

namespace ccm::plugin {

class LoadBalancersService final : public HostService {
 public:
  LoadBalancersService(const std::shared_ptr<LiveComponent>& component,
                       std::shared_ptr<LoadBalancersBroker> broker)
      : HostService(component), broker_(std::move(broker)) {}
  [[nodiscard]] std::string_view id() const override { return CCM_CLOUD_LOADBALANCERS; }
  [[nodiscard]] const void* table() const override;

 private:
  using Operation = decltype(&LoadBalancersBroker::ensure);

  static void begin(void* self, const ccm_ctx* ctx, const ccm_service* service,
                    const ccm_backend* const* backends, size_t count, ccm_completion done,
                    const char* name, Operation operation) noexcept;
  static void observe(void* self, const ccm_ctx* ctx, const ccm_service* service,
                      const ccm_backend* const* backends, size_t count,
                      ccm_completion done) noexcept;
  static void ensure(void* self, const ccm_ctx* ctx, const ccm_service* service,
                     const ccm_backend* const* backends, size_t count,
                     ccm_completion done) noexcept;
  static void update_backends(void* self, const ccm_ctx* ctx, const ccm_service* service,
                              const ccm_backend* const* backends, size_t count,
                              ccm_completion done) noexcept;
  static void remove(void* self, const ccm_ctx* ctx, const ccm_service* service,
                     ccm_completion done) noexcept;
  static void name(void* self, const ccm_ctx* ctx, const ccm_service* service,
                   ccm_completion done) noexcept;
  static void limits(void* self, const ccm_ctx* ctx, ccm_completion done) noexcept;

  const std::shared_ptr<LoadBalancersBroker> broker_;
  detail::BackendLists lists_;
};

}  // namespace ccm::plugin

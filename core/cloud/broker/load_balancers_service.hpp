// draft.ccm.cloud.loadbalancers/1 for controllers, served by the broker instead of the provider.
// Every function is set, and unlike a provider's may be called from any thread.
#pragma once

#include "cloud/broker/load_balancers_broker.hpp"
#include "cloud/broker/service_call.hpp"

#include <ccm/abi/loadbalancers.h>

#include <memory>

namespace ccm::plugin {

class LoadBalancersService final : public CloudService<LoadBalancersBroker> {
 public:
  using CloudService::CloudService;
  [[nodiscard]] std::string_view id() const override { return CCM_CLOUD_LOADBALANCERS; }
  [[nodiscard]] const void* table() const override;

 private:
  using Operation = decltype(&LoadBalancersBroker::ensure);

  // Read on the caller's thread and shared from then on: it can be long.
  using ReadRequest = std::shared_ptr<const Result<LoadBalancerRequest>>;

  static ReadRequest read(void* self, const ccm_service* service,
                          const ccm_backend* const* backends = nullptr, size_t count = 0);
  static void with_backends(void* self, const ccm_ctx* ctx, const ccm_service* service,
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
  detail::BackendLists lists_;
};

}  // namespace ccm::plugin

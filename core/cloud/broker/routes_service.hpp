// draft.ccm.cloud.routes/1 for controllers, served by the broker instead of the provider. Every
// function is set, and unlike a provider's may be called from any thread.
#pragma once

#include "cloud/broker/routes_broker.hpp"
#include "cloud/broker/service_call.hpp"

#include <ccm/abi/routes.h>

namespace ccm::plugin {

class RoutesService final : public CloudService<RoutesBroker> {
 public:
  using CloudService::CloudService;
  [[nodiscard]] std::string_view id() const override { return CCM_CLOUD_ROUTES; }
  [[nodiscard]] const void* table() const override;

 private:
  static void list(void* self, const ccm_ctx* ctx, ccm_str cluster_name,
                   ccm_completion done) noexcept;
  static void apply(void* self, const ccm_ctx* ctx, ccm_str cluster_name,
                    const ccm_route* const* removals, size_t removal_count,
                    const ccm_route* const* additions, size_t addition_count,
                    ccm_completion done) noexcept;
  static void limits(void* self, const ccm_ctx* ctx, ccm_completion done) noexcept;
};

}  // namespace ccm::plugin

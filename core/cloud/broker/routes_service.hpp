// draft.ccm.cloud.routes/1 for controllers, served by the broker instead of the provider. Every
// function is set, and unlike a provider's may be called from any thread.
#pragma once

#include "cloud/broker/routes_broker.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/routes.h>

#include <memory>

namespace ccm::plugin {

class RoutesService final : public HostService {
 public:
  RoutesService(const std::shared_ptr<LiveComponent>& component,
                std::shared_ptr<RoutesBroker> broker)
      : HostService(component), broker_(std::move(broker)) {}
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

  const std::shared_ptr<RoutesBroker> broker_;
};

}  // namespace ccm::plugin

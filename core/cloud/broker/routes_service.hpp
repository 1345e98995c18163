// ccm.cloud.routes/1 for controllers, served by the broker instead of the provider. Every
// function is set, and unlike a provider's may be called from any thread.
#pragma once

#include "cloud/broker/routes_broker.hpp"
#include "cloud/broker/service_call.hpp"

#include <ccm/abi/routes.h>

namespace ccm::plugin {

class RoutesService final : public CloudService<RoutesBroker> {
 public:
  RoutesService(const std::shared_ptr<LiveComponent>& component,
                std::shared_ptr<RoutesBroker> broker)
      : CloudService(component, CCM_CLOUD_ROUTES, &kTable, std::move(broker)) {}

 private:
  static void list(void* self, ccm_ctx ctx, const ccm_list_routes_request* request,
                   ccm_completion done) noexcept;
  static void apply(void* self, ccm_ctx ctx, const ccm_apply_routes_request* request,
                    ccm_completion done) noexcept;
  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) noexcept;
  static const ccm_cloud_routes kTable;
};

}  // namespace ccm::plugin

// ccm.cloud.instances/1 for controllers, served by the broker instead of the provider. Unlike
// a provider's table its functions may be called from any thread.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/service_call.hpp"

#include <ccm/abi/instances.h>

namespace ccm::plugin {

class InstancesService final : public CloudService<InstancesBroker> {
 public:
  using CloudService::CloudService;
  [[nodiscard]] std::string_view id() const override { return CCM_CLOUD_INSTANCES; }
  [[nodiscard]] const void* table() const override;

 private:
  static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                   ccm_completion done) noexcept;
  static void describe(void* self, ccm_ctx ctx, const ccm_describe_instances_request* request,
                       ccm_completion done) noexcept;
  static void get(void* self, ccm_ctx ctx, const ccm_get_instance_request* request,
                  ccm_completion done) noexcept;
  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) noexcept;
};

}  // namespace ccm::plugin

// ccm.cloud.instances/1 for controllers, served by the broker instead of the provider. Unlike
// a provider's table its functions may be called from any thread.
#pragma once

#include "cloud/broker/instances_broker.hpp"
#include "cloud/broker/service_call.hpp"

#include <ccm/abi/instances.h>

namespace ccm::plugin {

class InstancesService final : public CloudService<InstancesBroker> {
 public:
  InstancesService(const std::shared_ptr<LiveComponent>& component,
                   std::shared_ptr<InstancesBroker> broker)
      : CloudService(component, CCM_CLOUD_INSTANCES, &kTable, std::move(broker)) {}

 private:
  static void list(void* self, ccm_ctx ctx, const ccm_list_instances_request* request,
                   ccm_completion done) noexcept;
  static void describe(void* self, ccm_ctx ctx, const ccm_describe_instances_request* request,
                       ccm_completion done) noexcept;
  static void get(void* self, ccm_ctx ctx, const ccm_get_instance_request* request,
                  ccm_completion done) noexcept;
  static void limits(void* self, ccm_ctx ctx, const ccm_limits_request* request,
                     ccm_completion done) noexcept;
  static const ccm_cloud_instances kTable;
};

}  // namespace ccm::plugin

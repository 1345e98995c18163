// ccm.host.worker/1 over the component's lane of the worker pool.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/worker.h>

namespace ccm::plugin {

class WorkerService final : public HostService {
 public:
  explicit WorkerService(const std::shared_ptr<LiveComponent>& component)
      : HostService(component, CCM_HOST_WORKER, &kTable) {}

 private:
  static void run(void* self, ccm_ctx ctx, const ccm_work_request* request,
                  ccm_completion done) noexcept;
  static const ccm_host_worker kTable;
};

}  // namespace ccm::plugin

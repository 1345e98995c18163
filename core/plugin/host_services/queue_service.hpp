// ccm.host.queue/1 over the work queue of a controller.
#pragma once

#include "plugin/controller_port.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/queue.h>

#include <memory>
#include <utility>

namespace ccm::plugin {

class QueueService final : public HostService {
 public:
  QueueService(const std::shared_ptr<LiveComponent>& component,
               std::shared_ptr<ControllerPort> port)
      : HostService(component, CCM_HOST_QUEUE, &kTable), port_(std::move(port)) {}

 private:
  static void add(void* self, const ccm_queue_item* item) noexcept;
  static const ccm_host_queue kTable;

  const std::shared_ptr<ControllerPort> port_;
};

}  // namespace ccm::plugin

// ccm.host.setup/1 over a ComponentController.
#pragma once

#include "plugin/controller_port.hpp"
#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/controller.h>

#include <memory>
#include <utility>

namespace ccm::plugin {

class SetupService final : public HostService {
 public:
  SetupService(const std::shared_ptr<LiveComponent>& component,
               std::shared_ptr<ControllerPort> port)
      : HostService(component, CCM_HOST_SETUP, &kTable), port_(std::move(port)) {}

 private:
  static void watch(void* self, const ccm_watch* watch) noexcept;
  static void queue(void* self, const ccm_queue_options* options) noexcept;
  static void every(void* self, ccm_str key, int64_t period_ms) noexcept;
  static const ccm_host_setup kTable;
  [[nodiscard]] ComponentController* controller(std::string_view function) const;

  const std::shared_ptr<ControllerPort> port_;
};

}  // namespace ccm::plugin

#include "plugin/host_services/setup_service.hpp"

#include "plugin/component_controller.hpp"

namespace ccm::plugin {

// Null, and counted, unless its setup runs.
ComponentController* SetupService::controller(std::string_view function) const {
  const auto component = this->component();
  if (!component || !component->check_thread(ThreadTag::create, function)) return nullptr;
  return port_->controller();
}

void SetupService::watch(void* self, const ccm_watch* watch) noexcept {
  ComponentController* const controller =
      static_cast<SetupService*>(self)->controller("setup.watch");
  if (controller != nullptr) return controller->declare_watch(watch);
  if (watch == nullptr) return;
  const ccm_watch refused = known(watch);
  drop_callback({nullptr, refused.drop, refused.owner});
}

void SetupService::queue(void* self, const ccm_queue_options* options) noexcept {
  ComponentController* const controller =
      static_cast<SetupService*>(self)->controller("setup.queue");
  if (controller != nullptr) controller->declare_queue(options);
}

void SetupService::every(void* self, ccm_str key, int64_t period_ms) noexcept {
  ComponentController* const controller =
      static_cast<SetupService*>(self)->controller("setup.every");
  if (controller != nullptr) controller->declare_period(key, period_ms);
}

const ccm_host_setup SetupService::kTable{sizeof(kTable), 0, &watch, &queue, &every};

}  // namespace ccm::plugin

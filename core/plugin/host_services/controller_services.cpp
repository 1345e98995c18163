#include "plugin/host_services/controller_services.hpp"

#include "plugin/component_controller.hpp"
#include "plugin/context.hpp"

namespace ccm::plugin {

void QueueService::add(void* self, const ccm_queue_item* given) noexcept {
  const auto& service = *static_cast<QueueService*>(self);
  const auto component = service.component();
  if (!component || given == nullptr) return;
  const ccm_queue_item raw = known(given);
  if (view(raw.key).empty()) return;
  ControllerPort::Item item{std::string(view(raw.key)), raw.priority, bounded(raw.delay_ms)};
  runtime::EventLoop& loop = component->runtime().loop;
  if (loop.on_loop()) return service.port_->add(std::move(item));
  loop.post([port = service.port_, item = std::move(item)] { port->add(item); });
}

const ccm_host_queue QueueService::kTable{sizeof(kTable), 0, &add};

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

#include "plugin/host_services/queue_service.hpp"

#include "plugin/bounded.hpp"

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

}  // namespace ccm::plugin

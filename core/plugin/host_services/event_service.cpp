#include "plugin/host_services/event_service.hpp"

#include "base/utf8.hpp"
#include "plugin/host_services/object_service.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

constexpr std::size_t kMessageLimit = 1024;  // API-112

}  // namespace

void EventService::record(void* self, const ccm_event* event) noexcept {
  auto& service = *static_cast<EventService*>(self);
  const auto component = service.component();
  if (!component || event == nullptr || !CCM_HAS(event, message) || event->object == nullptr)
    return;
  std::string source(CCM_HAS(event, source) ? view(event->source) : std::string_view{});
  if (source.empty()) source = component->identity().name;
  const auto type = event->warning ? kube::EventType::warning : kube::EventType::normal;
  component->runtime().loop.post(
      [record = service.record_, source = std::move(source), type,
       about = kube::ObjectReference::of(*object_of(event->object)),
       reason = std::string(view(event->reason)),
       message = std::string(utf8_front(view(event->message), kMessageLimit))] {
        record(source, about, type, reason, message);
      });
}

const void* EventService::table() const {
  static const ccm_host_event table{sizeof(table), 0, &record};
  return &table;
}

}  // namespace ccm::plugin

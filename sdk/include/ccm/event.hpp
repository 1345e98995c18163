// ccm::Events: Kubernetes Events about an object. The host aggregates and rate-limits; recording
// never blocks and never fails. Without the service nothing happens. [any-thread]
#pragma once

#include <ccm/abi/event.h>
#include <ccm/object.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace ccm {

class Events {
 public:
  Events() = default;
  explicit Events(Service<ccm_host_event> host) : host_(host) {}

  // The same, under another source than the component's name.
  [[nodiscard]] Events from(std::string_view source) const {
    Events events(host_);
    events.source_ = source;
    return events;
  }

  // `reason` is CamelCase; of `message` at most 1,024 bytes are kept.
  void normal(const Object& object, std::string_view reason, std::string_view message) const {
    record(false, object, reason, message);
  }
  void warning(const Object& object, std::string_view reason, std::string_view message) const {
    record(true, object, reason, message);
  }

 private:
  void record(bool warning, const Object& object, std::string_view reason,
              std::string_view message) const {
    const auto fn = host_.get(&ccm_host_event::record);
    if (fn == nullptr || !object) return;
    ccm_event event{};
    event.size = sizeof(event);
    event.warning = warning;
    event.object = object.get();
    event.reason = c_str(reason);
    event.message = c_str(message);
    event.source = c_str(source_);
    fn(host_.self(), &event);
  }

  Service<ccm_host_event> host_;
  std::string source_;  // empty = the component's name
};

}  // namespace ccm

// The host's own metrics about plugins.
#pragma once

#include "plugin/host_services/http_service.hpp"
#include "plugin/live_component.hpp"
#include "runtime/watchdog.hpp"

#include <chrono>
#include <memory>
#include <string_view>

namespace prometheus {
class Registry;
}

namespace ccm::plugin_host {

class PluginMetrics {
 public:
  // `registry` must outlive it.
  explicit PluginMetrics(prometheus::Registry& registry);
  ~PluginMetrics();

  void operation(const plugin::ComponentIdentity& component, std::string_view operation,
                 const Status& status, std::chrono::nanoseconds duration);
  void http(const plugin::HttpCallRecord& call);
  void stall(const runtime::Watchdog::Stall& stall);
  void dropped_completion(const char* kind);  // any thread

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace ccm::plugin_host

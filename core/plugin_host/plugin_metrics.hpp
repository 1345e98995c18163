// The host's own metrics about plugins.
#pragma once

#include "base/metric_families.hpp"
#include "plugin/host_services/http_service.hpp"
#include "plugin/live_component.hpp"
#include "runtime/watchdog.hpp"

#include <chrono>
#include <string_view>

namespace ccm::plugin_host {

class PluginMetrics {
 public:
  // `registry` must outlive it.
  explicit PluginMetrics(prometheus::Registry& registry) : registry_(registry) {}

  void operation(const plugin::ComponentIdentity& component, std::string_view operation,
                 const Status& status, std::chrono::nanoseconds duration);
  void http(const plugin::HttpCallRecord& call);
  void stall(const runtime::Watchdog::Stall& stall);
  // Any thread.
  void dropped_completion(const char* kind) { dropped_.Add({{"kind", kind}}).Increment(); }

 private:
  prometheus::Registry& registry_;
  metrics::Counters& operations_ =
      metrics::counters(registry_, "ccm_plugin_operations_total",
                        "Operations of plugins by gRPC code and error class of their outcome.");
  metrics::Histograms& operation_seconds_ = metrics::histograms(
      registry_, "ccm_plugin_operation_duration_seconds", "Time that operations of plugins took.");
  metrics::Counters& http_ =
      metrics::counters(registry_, "ccm_plugin_http_requests_total",
                        "HTTP requests that plugins sent; code 0 = no answer.");
  metrics::Counters& cloud_calls_ = metrics::counters(
      registry_, "ccm_cloud_calls_total",
      "HTTP requests to clouds by the controller that they were made for and the priority that "
      "they had.");
  metrics::Histograms& http_seconds_ =
      metrics::histograms(registry_, "ccm_plugin_http_request_duration_seconds",
                          "Time of the HTTP requests of plugins.");
  metrics::Counters& stalls_ =
      metrics::counters(registry_, "ccm_plugin_loop_stalls_total",
                        "Calls by which a plugin held the event loop for more than 50 ms.");
  metrics::Counters& dropped_ =
      metrics::counters(registry_, "ccm_plugin_dropped_completions_total",
                        "Completions that came late or fitted no operation.");
};

}  // namespace ccm::plugin_host

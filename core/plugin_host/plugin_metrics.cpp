#include "plugin_host/plugin_metrics.hpp"

#include "base/metric_families.hpp"

#include <string>

namespace ccm::plugin {

namespace {

// gRPC's names in lower case; "unknown" for any other number, so that labels stay few.
const char* code_label(Code code) {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::cancelled:
      return "cancelled";
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::deadline_exceeded:
      return "deadline_exceeded";
    case Code::not_found:
      return "not_found";
    case Code::already_exists:
      return "already_exists";
    case Code::permission_denied:
      return "permission_denied";
    case Code::resource_exhausted:
      return "resource_exhausted";
    case Code::failed_precondition:
      return "failed_precondition";
    case Code::aborted:
      return "aborted";
    case Code::out_of_range:
      return "out_of_range";
    case Code::unimplemented:
      return "unimplemented";
    case Code::internal:
      return "internal";
    case Code::unavailable:
      return "unavailable";
    case Code::data_loss:
      return "data_loss";
    case Code::unauthenticated:
      return "unauthenticated";
    case Code::implemented_elsewhere:
      return "implemented_elsewhere";
    default:
      return "unknown";  // a plugin may give any number, and labels have to stay few
  }
}

const metrics::Buckets& buckets() {
  static const metrics::Buckets bounds{0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};
  return bounds;
}

}  // namespace

struct PluginMetrics::Families {
  explicit Families(prometheus::Registry& into) : registry(into) {}
  prometheus::Registry& registry;
  metrics::Counters& operations =
      metrics::counters(registry, "ccm_plugin_operations_total",
                        "Operations of plugins by gRPC code and error class of their outcome.");
  metrics::Histograms& operation_seconds = metrics::histograms(
      registry, "ccm_plugin_operation_duration_seconds", "Time that operations of plugins took.");
  metrics::Counters& http =
      metrics::counters(registry, "ccm_plugin_http_requests_total",
                        "HTTP requests that plugins sent; code 0 = no answer.");
  metrics::Counters& cloud_calls = metrics::counters(
      registry, "ccm_cloud_calls_total",
      "HTTP requests to clouds by the controller that they were made for and the priority that "
      "they had.");
  metrics::Histograms& http_seconds =
      metrics::histograms(registry, "ccm_plugin_http_request_duration_seconds",
                          "Time of the HTTP requests of plugins.");
  metrics::Counters& stalls =
      metrics::counters(registry, "ccm_plugin_loop_stalls_total",
                        "Calls by which a plugin held the event loop for more than 50 ms.");
  metrics::Counters& dropped =
      metrics::counters(registry, "ccm_plugin_dropped_completions_total",
                        "Completions that came late or fitted no operation.");
};

PluginMetrics::PluginMetrics(prometheus::Registry& registry)
    : families_(std::make_unique<Families>(registry)) {}
PluginMetrics::~PluginMetrics() = default;

void PluginMetrics::operation(const ComponentIdentity& component, std::string_view operation,
                              const Status& status, std::chrono::nanoseconds duration) {
  const std::string name(operation);
  families_->operations
      .Add({{"component", component.name},
            {"plugin", component.plugin_id},
            {"operation", name},
            {"code", code_label(status.code())},
            {"class", std::string(name_of(status.error_class()))}})
      .Increment();
  families_->operation_seconds.Add({{"component", component.name}, {"operation", name}}, buckets())
      .Observe(metrics::seconds(duration));
}

void PluginMetrics::http(const HttpCallRecord& call) {
  const std::string operation(call.operation.empty() ? call.method : call.operation);
  families_->http
      .Add({{"component", call.component.name},
            {"operation", operation},
            {"code", std::to_string(call.http_status)}})
      .Increment();
  families_->cloud_calls
      .Add({{"plugin", call.component.plugin_id},
            {"controller", std::string(call.controller)},
            {"priority", std::string(to_string(call.priority))}})
      .Increment();
  families_->http_seconds
      .Add({{"component", call.component.name}, {"operation", operation}}, buckets())
      .Observe(metrics::seconds(call.duration));
}

void PluginMetrics::stall(const runtime::Watchdog::Stall& stall) {
  families_->stalls
      .Add({{"component", std::string(stall.component)},
            {"operation", std::string(stall.operation)}})
      .Increment();
}

void PluginMetrics::dropped_completion(const char* kind) {
  families_->dropped.Add({{"kind", kind}}).Increment();
}

}  // namespace ccm::plugin

#include "plugin_host/plugin_metrics.hpp"

#include "base/metric_families.hpp"

#include <string>
#include <utility>

namespace ccm::plugin_host {

namespace {

// gRPC's names in lower case.
constexpr std::pair<Code, const char*> kCodeLabels[] = {
    {Code::ok, "ok"},
    {Code::cancelled, "cancelled"},
    {Code::invalid_argument, "invalid_argument"},
    {Code::deadline_exceeded, "deadline_exceeded"},
    {Code::not_found, "not_found"},
    {Code::already_exists, "already_exists"},
    {Code::permission_denied, "permission_denied"},
    {Code::resource_exhausted, "resource_exhausted"},
    {Code::failed_precondition, "failed_precondition"},
    {Code::aborted, "aborted"},
    {Code::out_of_range, "out_of_range"},
    {Code::unimplemented, "unimplemented"},
    {Code::internal, "internal"},
    {Code::unavailable, "unavailable"},
    {Code::data_loss, "data_loss"},
    {Code::unauthenticated, "unauthenticated"},
    {Code::implemented_elsewhere, "implemented_elsewhere"},
};

// "unknown" for any other number: a plugin may give any, and labels have to stay few.
const char* code_label(Code code) {
  for (const auto& [known, label] : kCodeLabels) {
    if (known == code) return label;
  }
  return "unknown";
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

void PluginMetrics::operation(const plugin::ComponentIdentity& component,
                              std::string_view operation, const Status& status,
                              std::chrono::nanoseconds duration) {
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

void PluginMetrics::http(const plugin::HttpCallRecord& call) {
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

}  // namespace ccm::plugin_host

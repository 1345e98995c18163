#include "plugin_host/plugin_metrics.hpp"

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

void PluginMetrics::operation(const plugin::ComponentIdentity& component,
                              std::string_view operation, const Status& status,
                              std::chrono::nanoseconds duration) {
  const std::string name(operation);
  operations_
      .Add({{"component", component.name},
            {"plugin", component.plugin_id},
            {"operation", name},
            {"code", code_label(status.code())},
            {"class", std::string(name_of(status.error_class()))}})
      .Increment();
  operation_seconds_.Add({{"component", component.name}, {"operation", name}}, buckets())
      .Observe(metrics::seconds(duration));
}

void PluginMetrics::http(const plugin::HttpCallRecord& call) {
  const std::string operation(call.operation.empty() ? call.method : call.operation);
  http_
      .Add({{"component", call.component.name},
            {"operation", operation},
            {"code", std::to_string(call.http_status)}})
      .Increment();
  cloud_calls_
      .Add({{"plugin", call.component.plugin_id},
            {"controller", std::string(call.controller)},
            {"priority", std::string(to_string(call.priority))}})
      .Increment();
  http_seconds_.Add({{"component", call.component.name}, {"operation", operation}}, buckets())
      .Observe(metrics::seconds(call.duration));
}

void PluginMetrics::stall(const runtime::Watchdog::Stall& stall) {
  stalls_
      .Add({{"component", std::string(stall.component)},
            {"operation", std::string(stall.operation)}})
      .Increment();
}

}  // namespace ccm::plugin_host

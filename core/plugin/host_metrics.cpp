#include "plugin/host_metrics.hpp"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <string>

namespace ccm::plugin {

namespace {

using Counters = prometheus::Family<prometheus::Counter>;
using Histograms = prometheus::Family<prometheus::Histogram>;

Counters& counters(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

Histograms& histograms(prometheus::Registry& registry, const char* name, const char* help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

const prometheus::Histogram::BucketBoundaries& buckets() {
  static const prometheus::Histogram::BucketBoundaries bounds{0.001, 0.005, 0.025, 0.1, 0.25, 0.5,
                                                              1,     2.5,   5,     10,  30};
  return bounds;
}

// gRPC's names in lower case.
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

const char* class_label(ErrorClass error_class) {
  switch (error_class) {
    case ErrorClass::invalid_spec:
      return "invalid-spec";
    case ErrorClass::auth:
      return "auth";
    case ErrorClass::quota:
      return "quota";
    case ErrorClass::conflict:
      return "conflict";
    case ErrorClass::throttled:
      return "throttled";
    case ErrorClass::unavailable:
      return "unavailable";
    case ErrorClass::waiting:
      return "waiting";
    case ErrorClass::not_found:
      return "not-found";
    case ErrorClass::unsupported:
      return "unsupported";
    default:
      return "";
  }
}

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

struct HostMetrics::Families {
  explicit Families(prometheus::Registry& registry)
      : operations(
            counters(registry, "ccm_plugin_operations_total",
                     "Operations of plugins by gRPC code and error class of their outcome.")),
        operation_seconds(histograms(registry, "ccm_plugin_operation_duration_seconds",
                                     "Time that operations of plugins took.")),
        http(counters(registry, "ccm_plugin_http_requests_total",
                      "HTTP requests that plugins sent; code 0 = no answer.")),
        http_seconds(histograms(registry, "ccm_plugin_http_request_duration_seconds",
                                "Time of the HTTP requests of plugins.")),
        stalls(counters(registry, "ccm_plugin_loop_stalls_total",
                        "Calls by which a plugin held the event loop for more than 50 ms.")),
        dropped(counters(registry, "ccm_plugin_dropped_completions_total",
                         "Completions that came late or fitted no operation.")) {}
  Counters& operations;
  Histograms& operation_seconds;
  Counters& http;
  Histograms& http_seconds;
  Counters& stalls;
  Counters& dropped;
};

HostMetrics::HostMetrics(prometheus::Registry& registry)
    : families_(std::make_unique<Families>(registry)) {}
HostMetrics::~HostMetrics() = default;

void HostMetrics::operation(const ComponentIdentity& component, std::string_view operation,
                            const Status& status, std::chrono::nanoseconds duration) {
  const std::string name(operation);
  families_->operations
      .Add({{"component", component.name},
            {"plugin", component.plugin_id},
            {"operation", name},
            {"code", code_label(status.code())},
            {"class", class_label(status.error_class())}})
      .Increment();
  families_->operation_seconds.Add({{"component", component.name}, {"operation", name}}, buckets())
      .Observe(seconds(duration));
}

void HostMetrics::http(const HttpCallRecord& call) {
  const std::string operation(call.operation.empty() ? call.method : call.operation);
  families_->http
      .Add({{"component", call.component.name},
            {"operation", operation},
            {"code", std::to_string(call.http_status)}})
      .Increment();
  families_->http_seconds
      .Add({{"component", call.component.name}, {"operation", operation}}, buckets())
      .Observe(seconds(call.duration));
}

void HostMetrics::stall(const runtime::Watchdog::Stall& stall) {
  families_->stalls
      .Add({{"component", std::string(stall.component)},
            {"operation", std::string(stall.operation)}})
      .Increment();
}

void HostMetrics::dropped_completion(const char* kind) {
  families_->dropped.Add({{"kind", kind}}).Increment();
}

}  // namespace ccm::plugin

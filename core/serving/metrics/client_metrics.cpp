#include "serving/metrics/client_metrics.hpp"

#include "base/metric_families.hpp"

#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace ccm::serving {
namespace {

using prometheus::Counter;
using prometheus::Histogram;

// "127.0.0.1:6443" of "https://127.0.0.1:6443/prefix".
std::string host_of(const std::string& url) {
  const auto scheme = url.find("://");
  const auto begin = scheme == std::string::npos ? 0 : scheme + 3;
  return url.substr(begin, url.find('/', begin) - begin);
}

metrics::Buckets request_buckets() {
  return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
}

// 64 bytes to 16 MiB.
metrics::Buckets size_buckets() {
  return {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
}

struct ClientMetrics {
  // Looking up a series by its labels allocates; thousands of requests a second do not.
  struct Method {
    std::string name;
    Histogram& seconds;
    Histogram& limiter;
    Histogram& request_bytes;
    Histogram& response_bytes;
    std::list<std::pair<unsigned, Counter*>> by_status;
    std::list<std::pair<unsigned, Counter*>> retries_by_status;
  };

  ClientMetrics(prometheus::Registry& into, std::string of) : registry(into), host(std::move(of)) {}

  Method& method(std::string_view name) {
    for (Method& known : methods) {
      if (known.name == name) return known;
    }
    const std::map<std::string, std::string> labels{{"host", host}, {"verb", std::string(name)}};
    return methods.emplace_back(Method{std::string(name),
                                       seconds.Add(labels, request_buckets()),
                                       limiter.Add(labels, request_buckets()),
                                       request_bytes.Add(labels, size_buckets()),
                                       response_bytes.Add(labels, size_buckets()),
                                       {},
                                       {}});
  }

  // `label`: upstream calls the HTTP method "method" in one family and "verb" in the other.
  Counter& counter(metrics::Counters& family, std::list<std::pair<unsigned, Counter*>>& known,
                   const char* label, const Method& method, unsigned status) const {
    for (const auto& [code, counter] : known) {
      if (code == status) return *counter;
    }
    Counter& added = family.Add({{"code", code_of(status)}, {"host", host}, {label, method.name}});
    known.emplace_back(status, &added);
    return added;
  }

  void record(const kube::CallRecord& call) {
    const std::lock_guard lock(mutex);
    Method& known = method(call.method);
    known.seconds.Observe(metrics::seconds(call.duration));
    known.limiter.Observe(metrics::seconds(call.limiter_wait));
    known.request_bytes.Observe(static_cast<double>(call.request_bytes));
    if (call.http_status != 0 && !call.stream) {
      known.response_bytes.Observe(static_cast<double>(call.response_bytes));
    }
    const unsigned status = call.http_status;
    counter(requests, known.by_status, "method", known, status).Increment();
    if (call.retry) {
      counter(retries, known.retries_by_status, "verb", known, status).Increment();
    }
  }

  prometheus::Registry& registry;
  const std::string host;
  metrics::Counters& requests =
      metrics::counters(registry, "rest_client_requests_total",
                        "HTTP requests to API servers by status code, method and host.");
  metrics::Histograms& seconds =
      metrics::histograms(registry, "rest_client_request_duration_seconds",
                          "Time of requests to API servers by verb and host.");
  metrics::Histograms& limiter =
      metrics::histograms(registry, "rest_client_rate_limiter_duration_seconds",
                          "Time that requests waited for the client's rate limiter.");
  metrics::Histograms& request_bytes =
      metrics::histograms(registry, "rest_client_request_size_bytes",
                          "Size of the bodies of requests to API servers by verb and host.");
  metrics::Histograms& response_bytes = metrics::histograms(
      registry, "rest_client_response_size_bytes",
      "Size of the bodies of API servers' answers by verb and host, streams excepted.");
  metrics::Counters& retries =
      metrics::counters(registry, "rest_client_request_retries_total",
                        "Repeated requests to API servers by status code, verb and host.");
  std::mutex mutex;
  std::list<Method> methods;
};

}  // namespace

std::string code_of(unsigned http_status) {
  return http_status == 0 ? "<error>" : std::to_string(http_status);
}

std::function<void(const kube::CallRecord&)> client_metrics(prometheus::Registry& registry,
                                                            const std::string& server) {
  const auto metrics = std::make_shared<ClientMetrics>(registry, host_of(server));
  return [metrics](const kube::CallRecord& call) { metrics->record(call); };
}

}  // namespace ccm::serving

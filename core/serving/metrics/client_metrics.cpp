#include "serving/metrics/client_metrics.hpp"

#include "base/metric_families.hpp"

#include <chrono>
#include <list>
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

}  // namespace

std::string code_of(unsigned http_status) {
  return http_status == 0 ? "<error>" : std::to_string(http_status);
}

struct ClientMetrics::State {
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
  struct Host {
    std::string name;
    std::list<Method> methods;
  };

  explicit State(prometheus::Registry& into) : registry(into) {}

  Method& method(Host& host, std::string_view name) {
    for (Method& known : host.methods) {
      if (known.name == name) return known;
    }
    const std::map<std::string, std::string> labels{{"host", host.name},
                                                    {"verb", std::string(name)}};
    return host.methods.emplace_back(Method{std::string(name),
                                            seconds.Add(labels, request_buckets()),
                                            limiter.Add(labels, request_buckets()),
                                            request_bytes.Add(labels, size_buckets()),
                                            response_bytes.Add(labels, size_buckets()),
                                            {},
                                            {}});
  }

  // `label`: upstream calls the HTTP method "method" in one family and "verb" in the other.
  static Counter& counter(metrics::Counters& family,
                          std::list<std::pair<unsigned, Counter*>>& known, const Host& host,
                          const char* label, const Method& method, unsigned status) {
    for (const auto& [code, counter] : known) {
      if (code == status) return *counter;
    }
    Counter& added =
        family.Add({{"code", code_of(status)}, {"host", host.name}, {label, method.name}});
    known.emplace_back(status, &added);
    return added;
  }

  void record(Host& host, const kube::CallRecord& call) {
    const std::lock_guard lock(mutex);
    Method& known = method(host, call.method);
    known.seconds.Observe(metrics::seconds(call.duration));
    known.limiter.Observe(metrics::seconds(call.limiter_wait));
    known.request_bytes.Observe(static_cast<double>(call.request_bytes));
    if (call.http_status != 0 && !call.stream) {
      known.response_bytes.Observe(static_cast<double>(call.response_bytes));
    }
    const unsigned status = call.http_status;
    counter(requests, known.by_status, host, "method", known, status).Increment();
    if (call.retry) {
      counter(retries, known.retries_by_status, host, "verb", known, status).Increment();
    }
  }

  prometheus::Registry& registry;
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
  std::list<Host> hosts;
};

ClientMetrics::ClientMetrics(prometheus::Registry& registry)
    : state_(std::make_shared<State>(registry)) {}
ClientMetrics::~ClientMetrics() = default;

std::function<void(const kube::CallRecord&)> ClientMetrics::observer(const std::string& server) {
  const std::string name = host_of(server);
  const std::lock_guard lock(state_->mutex);
  State::Host* host = nullptr;
  for (State::Host& known : state_->hosts) {
    if (known.name == name) host = &known;
  }
  if (host == nullptr) host = &state_->hosts.emplace_back(State::Host{name, {}});
  return [state = state_, host](const kube::CallRecord& call) { state->record(*host, call); };
}

}  // namespace ccm::serving

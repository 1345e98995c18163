#include "serving/metrics.hpp"

#include "base/version.hpp"
#include "kube/file_text.hpp"
#include "net/certificates.hpp"
#include "serving/auth/trust.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>
#include <string_view>
#include <system_error>

namespace ccm::serving {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void SampledMetrics::add_sampled(MetricType type, std::string name, std::string help,
                                 Samples samples) {
  add(type, std::move(name), std::move(help), [type, samples = std::move(samples)] {
    std::vector<ClientMetric> all;
    for (const Sample& sample : samples()) {
      ClientMetric& series = all.emplace_back();
      for (const auto& [label, value] : sample.labels) series.label.push_back({label, value});
      (type == MetricType::Counter ? series.counter.value : series.gauge.value) = sample.value;
    }
    return all;
  });
}

void SampledMetrics::histogram(std::string name, std::string help,
                               std::function<ClientMetric::Histogram()> sample) {
  add(MetricType::Histogram, std::move(name), std::move(help), [sample = std::move(sample)] {
    std::vector<ClientMetric> all(1);
    all.front().histogram = sample();
    return all;
  });
}

void SampledMetrics::gauge_of(std::string name, std::string help, std::function<double()> value) {
  gauge(std::move(name), std::move(help), [value = std::move(value)] {
    return std::vector<Sample>{Sample{{}, value()}};
  });
}

bool SampledMetrics::has(std::string_view name) const {
  return std::any_of(metrics_.begin(), metrics_.end(),
                     [name](const auto& metric) { return metric.first.name == name; });
}

std::vector<MetricFamily> SampledMetrics::Collect() const {
  std::vector<MetricFamily> families;
  for (const auto& [family, series] : metrics_) {
    families.push_back(family);
    families.back().metric = series();
    if (families.back().metric.empty()) families.pop_back();
  }
  return families;
}

namespace {

double cpu_seconds() {
  timespec used{};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 0;
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9;
}

double open_descriptors() {
  std::error_code unreadable;
  const std::filesystem::directory_iterator all("/proc/self/fd", unreadable);
  if (unreadable) return 0;
  return static_cast<double>(std::distance(all, {}) - 1);  // without the folder's own
}

double limit_of(int resource) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return 0;
  if (limit.rlim_cur == RLIM_INFINITY) return std::numeric_limits<double>::infinity();
  return static_cast<double>(limit.rlim_cur);
}

// Empty when it cannot be read.
std::istringstream process_file(const char* path) {
  const Result<std::string> text = kube::read_file(path);
  return std::istringstream(text.ok() ? *text : std::string());
}

// `at`: 0 = virtual size, 1 = resident.
double memory(int at) {
  std::istringstream in = process_file("/proc/self/statm");
  double pages = 0;
  for (int i = 0; i <= at; ++i) in >> pages;
  return pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Bytes of all IP packets, by the name of the kernel's counter. They are the network namespace's:
// the Pod's, or with hostNetwork the machine's. Nothing when the kernel does not tell.
std::vector<Sample> network_bytes(std::string_view counter) {
  std::istringstream in = process_file("/proc/self/net/netstat");
  std::string line;
  while (std::getline(in, line)) {
    if (!line.starts_with("IpExt:")) continue;
    std::string values;
    std::getline(in, values);
    std::istringstream names(line);
    std::istringstream numbers(values);
    std::string name;
    std::string number;
    while (names >> name && numbers >> number) {
      if (name == counter) return {Sample{{}, std::strtod(number.c_str(), nullptr)}};
    }
  }
  return {};
}

// Seconds since the epoch; never changes.
double start_time() {
  std::istringstream process = process_file("/proc/self/stat");
  std::string text;
  std::getline(process, text);
  // The program's name stands in parentheses and may hold anything.
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  for (int i = 3; i <= 22; ++i) fields >> field;
  const double ticks = std::strtod(field.c_str(), nullptr);
  std::istringstream machine = process_file("/proc/stat");
  double boot = 0;
  while (std::getline(machine, text)) {
    if (text.starts_with("btime ")) boot = std::strtod(text.c_str() + 6, nullptr);
  }
  return boot + ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

void add_process_metrics(SampledMetrics* metrics) {
  metrics->counter("process_cpu_seconds_total", "User and system CPU time of this process.", [] {
    return std::vector<Sample>{Sample{{}, cpu_seconds()}};
  });
  metrics->gauge_of("process_open_fds", "Open file descriptors.", open_descriptors);
  metrics->gauge_of("process_max_fds", "File descriptors that may be open.",
                    [] { return limit_of(RLIMIT_NOFILE); });
  metrics->gauge_of("process_resident_memory_bytes", "Resident memory.", [] { return memory(1); });
  metrics->gauge_of("process_virtual_memory_bytes", "Virtual memory.", [] { return memory(0); });
  metrics->gauge_of("process_virtual_memory_max_bytes", "Virtual memory that may be had.",
                    [] { return limit_of(RLIMIT_AS); });
  metrics->counter("process_network_receive_bytes_total",
                   "Bytes that came in over the network, of this process and all that share its "
                   "network namespace.",
                   [] { return network_bytes("InOctets"); });
  metrics->counter("process_network_transmit_bytes_total",
                   "Bytes that went out over the network, of this process and all that share its "
                   "network namespace.",
                   [] { return network_bytes("OutOctets"); });
  add_start_time(metrics);
}

void add_start_time(SampledMetrics* metrics) {
  metrics->gauge_of("process_start_time_seconds", "When this process started, in Unix time.",
                    [started = start_time()] { return started; });
}

void add_build_info(SampledMetrics* metrics) {
  metrics->gauge("kubernetes_build_info", "1, with labels that say which build this is.", [] {
    const Version& build = version();
    Sample sample;
    sample.labels = {{"build_date", ""},
                     {"compiler", std::string(build.compiler)},
                     {"git_commit", std::string(build.commit)},
                     {"git_tree_state", ""},
                     {"git_version", std::string(build.text)},
                     {"go_version", ""},
                     {"major", std::string(build.major)},
                     {"minor", std::string(build.minor)},
                     {"platform", std::string(build.system) + "/" + std::string(build.machine)}};
    sample.value = 1;
    return std::vector<Sample>{sample};
  });
}

namespace {

constexpr std::chrono::milliseconds kPeriod{500};

prometheus::Histogram& lag_histogram(prometheus::Registry& registry) {
  const metrics::Buckets buckets{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60};
  return metrics::histograms(registry, "ccm_event_loop_lag_seconds",
                             "How much later than due the event loop ran a timer.")
      .Add({}, buckets);
}

}  // namespace

LoopLag::LoopLag(const boost::asio::any_io_executor& executor, prometheus::Registry& registry)
    : timer_(executor), seconds_(lag_histogram(registry)) {}

void LoopLag::start() {
  timer_.expires_after(kPeriod);
  measure();
}

void LoopLag::measure() {
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    const auto now = std::chrono::steady_clock::now();
    seconds_.Observe(metrics::seconds(now - timer_.expiry()));
    timer_.expires_at(now + kPeriod);
    measure();
  });
}

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

namespace {

using metrics::Buckets;

// 0.001 * 2^n, 15 of them.
Buckets decision_buckets() {
  Buckets buckets;
  double bound = 0.001;
  for (int i = 0; i < 15; ++i, bound *= 2) buckets.push_back(bound);
  return buckets;
}

// An expired one, half an hour to a year.
Buckets expiration_buckets() {
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  return {0,        kHour / 2, kHour,    2 * kHour, 6 * kHour, 12 * kHour, kDay,
          2 * kDay, 4 * kDay,  7 * kDay, 30 * kDay, 90 * kDay, 180 * kDay, 360 * kDay};
}

Buckets review_buckets() { return {0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10}; }

// Few label values: as upstream, only some users are told apart.
std::string user_label(const std::string& name) {
  if (name == "admin" || name == "client" || name == "kube_proxy" || name == "kubelet" ||
      name == "system:serviceaccount:kube-system:default") {
    return name;
  }
  return name.find('@') != std::string::npos ? "email_id" : "other";
}

std::function<void(const kube::CallRecord&)> review_observer(prometheus::Registry& registry,
                                                             const std::string& kind,
                                                             const std::string& what) {
  auto& total = metrics::counters(registry, "apiserver_delegated_" + kind + "_request_total",
                                  "HTTP requests for " + what + " by status code.");
  auto& seconds =
      metrics::histograms(registry, "apiserver_delegated_" + kind + "_request_duration_seconds",
                          "Time of requests for " + what + " by status code.");
  return [&total, &seconds](const kube::CallRecord& call) {
    const std::string code = code_of(call.http_status);
    total.Add({{"code", code}}).Increment();
    seconds.Add({{"code", code}}, review_buckets()).Observe(metrics::seconds(call.duration));
  };
}

}  // namespace

AuthMetrics::AuthMetrics(prometheus::Registry& registry)
    : registry_(registry),
      authentication_{
          metrics::counters(registry, "authentication_attempts",
                            "Requests to this server by result of their authentication."),
          metrics::histograms(registry, "authentication_duration_seconds",
                              "Time that authentication took, by result.")},
      users_(metrics::counters(registry, "authenticated_user_requests",
                               "Authenticated requests to this server by user name.")),
      authorization_{metrics::counters(registry, "authorization_attempts_total",
                                       "Requests to this server by result of their authorization."),
                     metrics::histograms(registry, "authorization_duration_seconds",
                                         "Time that authorization took, by result.")},
      expiration_(
          metrics::histograms(registry, "apiserver_client_certificate_expiration_seconds",
                              "How long the client certificates of requests are still good; of "
                              "certificates that are believed.")
              .Add({}, expiration_buckets())) {}

void AuthMetrics::Attempts::record(const char* result, std::chrono::nanoseconds duration) {
  total.Add({{"result", result}}).Increment();
  seconds.Add({{"result", result}}, decision_buckets()).Observe(metrics::seconds(duration));
}

void AuthMetrics::authenticated(const Status& status, const User& user,
                                std::chrono::nanoseconds duration) {
  authentication_.record(status.ok() ? "success" : "error", duration);
  if (status.ok()) users_.Add({{"username", user_label(user.name)}}).Increment();
}

void AuthMetrics::believed(const PeerCertificates& certificates) {
  const auto times = net::times_of(certificates.leaf());
  if (!times) return;
  expiration_.Observe(metrics::seconds(times->not_after - std::chrono::system_clock::now()));
}

void AuthMetrics::authorized(const Result<Verdict>& verdict, std::chrono::nanoseconds duration) {
  const char* result = "error";
  if (verdict.ok()) {
    switch (verdict->decision) {
      case Verdict::Decision::allowed:
        result = "allowed";
        break;
      case Verdict::Decision::denied:
        result = "denied";
        break;
      case Verdict::Decision::no_opinion:
        result = "no-opinion";
        break;
    }
  }
  authorization_.record(result, duration);
}

std::function<void(const kube::CallRecord&)> AuthMetrics::token_review_observer() {
  return review_observer(registry_, "authn", "token reviews");
}

std::function<void(const kube::CallRecord&)> AuthMetrics::access_review_observer() {
  return review_observer(registry_, "authz", "access reviews");
}

namespace {

// Prometheus' own by default.
const metrics::Buckets kTokenBuckets{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

TokenCacheMetrics::Answers token_answers(prometheus::Registry& registry, const char* status) {
  return {metrics::counters(registry, "authentication_token_cache_request_total",
                            "Bearer tokens by whether their owner was remembered.")
              .Add({{"status", status}}),
          metrics::histograms(
              registry, "authentication_token_cache_request_duration_seconds",
              "Time until a bearer token's owner was known, by whether he was remembered.")
              .Add({{"status", status}}, kTokenBuckets)};
}

prometheus::Counter& token_fetches(prometheus::Registry& registry, const char* status) {
  return metrics::counters(registry, "authentication_token_cache_fetch_total",
                           "Reviews of bearer tokens by whether they were answered.")
      .Add({{"status", status}});
}

prometheus::Gauge& active_fetches(prometheus::Registry& registry, const char* status) {
  return metrics::gauges(registry, "authentication_token_cache_active_fetch_count",
                         "Reviews of bearer tokens under way (in_flight) and requests that wait "
                         "for them (blocked).")
      .Add({{"status", status}});
}

}  // namespace

TokenCacheMetrics::TokenCacheMetrics(prometheus::Registry& registry)
    : hits(token_answers(registry, "hit")),
      misses(token_answers(registry, "miss")),
      reviews_answered(token_fetches(registry, "ok")),
      reviews_failed(token_fetches(registry, "error")),
      reviews_in_flight(active_fetches(registry, "in_flight")),
      blocked(active_fetches(registry, "blocked")) {}

void TokenCacheMetrics::Answers::count(std::chrono::steady_clock::time_point begin) const {
  total.Increment();
  seconds.Observe(metrics::seconds(std::chrono::steady_clock::now() - begin));
}

}  // namespace ccm::serving

#include "serving/metrics/process_metrics.hpp"

#include "base/metric_families.hpp"
#include "base/version.hpp"
#include "kube/file_text.hpp"

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace ccm::serving {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void SampledMetrics::gauge(std::string name, std::string help, Samples samples) {
  add_sampled(MetricType::Gauge, std::move(name), std::move(help), std::move(samples));
}

void SampledMetrics::counter(std::string name, std::string help, Samples samples) {
  add_sampled(MetricType::Counter, std::move(name), std::move(help), std::move(samples));
}

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

void SampledMetrics::add(MetricType type, std::string name, std::string help, Series series) {
  metrics_.push_back({{std::move(name), std::move(help), type, {}}, std::move(series)});
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

}  // namespace ccm::serving

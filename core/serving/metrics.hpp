// Metrics of this process: those that are read at each scrape, how late its loop is, and its
// requests to API servers.
#pragma once

#include "kube/client.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace prometheus {
class Histogram;
class Registry;
}  // namespace prometheus

namespace ccm::serving {

struct Sample {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

// Values that the process has anyhow cost nothing between scrapes. Collected on the server's
// thread.
class SampledMetrics final : public prometheus::Collectable {
 public:
  using Samples = std::function<std::vector<Sample>()>;

  void gauge(std::string name, std::string help, Samples samples);
  void counter(std::string name, std::string help, Samples samples);
  void histogram(std::string name, std::string help,
                 std::function<prometheus::ClientMetric::Histogram()> sample);
  // A gauge with one series without labels.
  void gauge_of(std::string name, std::string help, std::function<double()> value);

  // Families without samples are left out.
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  using Series = std::function<std::vector<prometheus::ClientMetric>()>;
  void add(prometheus::MetricType type, std::string name, std::string help, Series series);
  void add_sampled(prometheus::MetricType type, std::string name, std::string help,
                   Samples samples);

  std::vector<std::pair<prometheus::MetricFamily, Series>> metrics_;  // without and with series
};

// process_* of this process (MET-46).
void add_process_metrics(SampledMetrics* metrics);
// The start time of these alone, which is on every page with counters (MET-45).
void add_start_time(SampledMetrics* metrics);
void add_build_info(SampledMetrics* metrics);  // kubernetes_build_info (MET-43)

// The delay of the loop: the difference between a timer's due time and its run. The loop's thread.
class LoopLag {
 public:
  // `registry` must outlive it.
  LoopLag(const boost::asio::any_io_executor& executor, prometheus::Registry& registry);
  void start();
  void stop() { timer_.cancel(); }

 private:
  void measure();

  boost::asio::steady_timer timer_;
  prometheus::Histogram& seconds_;
};

// The label "code" of a request to an API server, as upstream has it: "200", or "<error>" for the
// status 0, which is no answer.
std::string code_of(unsigned http_status);

// For kube::ClientOptions::observer. `server`: the URL of the API server, whose host is a label.
// `registry` must outlive every client that has it.
std::function<void(const kube::CallRecord&)> client_metrics(prometheus::Registry& registry,
                                                            const std::string& server);

}  // namespace ccm::serving

// Metrics of this process: those that are read at each scrape, how late its loop is, its requests
// to API servers, and its authentication and authorization (MET-38..42, 47, 48). The server's
// thread, unless stated otherwise.
#pragma once

#include "base/metric_families.hpp"
#include "kube/client.hpp"
#include "serving/message.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

  void gauge(std::string name, std::string help, Samples samples) {
    add_sampled(prometheus::MetricType::Gauge, std::move(name), std::move(help),
                std::move(samples));
  }
  void counter(std::string name, std::string help, Samples samples) {
    add_sampled(prometheus::MetricType::Counter, std::move(name), std::move(help),
                std::move(samples));
  }
  void histogram(std::string name, std::string help,
                 std::function<prometheus::ClientMetric::Histogram()> sample);
  // A gauge with one series without labels.
  void gauge_of(std::string name, std::string help, std::function<double()> value);

  // Whether there is a metric of that name. Any thread, once all are added.
  [[nodiscard]] bool has(std::string_view name) const;

  // Families without samples are left out.
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  using Series = std::function<std::vector<prometheus::ClientMetric>()>;
  void add(prometheus::MetricType type, std::string name, std::string help, Series series) {
    prometheus::MetricFamily family{std::move(name), std::move(help), type, {}};
    metrics_.emplace_back(std::move(family), std::move(series));
  }
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

class AuthMetrics {
 public:
  // `registry` must outlive it.
  explicit AuthMetrics(prometheus::Registry& registry);

  void authenticated(const Status& status, const User& user, std::chrono::nanoseconds duration);
  // A request from a client with a valid certificate.
  void believed(const PeerCertificates& certificates);
  void authorized(const Result<Verdict>& verdict, std::chrono::nanoseconds duration);

  // For kube::ClientOptions::observer of the clients that send reviews. Valid as long as the
  // registry.
  std::function<void(const kube::CallRecord&)> token_review_observer();
  std::function<void(const kube::CallRecord&)> access_review_observer();

 private:
  // By result.
  struct Attempts {
    void record(const char* result, std::chrono::nanoseconds duration);
    metrics::Counters& total;
    metrics::Histograms& seconds;
  };
  prometheus::Registry& registry_;
  Attempts authentication_;
  metrics::Counters& users_;
  Attempts authorization_;
  prometheus::Histogram& expiration_;
};

// The authentication_token_cache_* metrics: bearer tokens whose owner was remembered, and the
// reviews of the others (MET-47).
struct TokenCacheMetrics {
  // `registry` must outlive it.
  explicit TokenCacheMetrics(prometheus::Registry& registry);

  struct Answers {
    // One that was asked for at `begin`.
    void count(std::chrono::steady_clock::time_point begin) const;
    prometheus::Counter& total;
    prometheus::Histogram& seconds;
  };
  Answers hits;
  Answers misses;
  prometheus::Counter& reviews_answered;
  prometheus::Counter& reviews_failed;
  prometheus::Gauge& reviews_in_flight;
  prometheus::Gauge& blocked;  // requests that wait for a review
};

}  // namespace ccm::serving

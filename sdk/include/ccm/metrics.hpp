// ccm::Metrics: counters, gauges and histograms that the host exposes. Define them in the
// component's constructor or in setup; record from any thread. Without the service nothing happens.
#pragma once

#include <ccm/abi/metrics.h>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace ccm {

// A defined metric; `record` adds to a counter, sets a gauge, observes a histogram.
class Metric {
 public:
  Metric() = default;
  Metric(Service<ccm_host_metrics> host, uint64_t number) : host_(host), number_(number) {}

  // One value for each label name, in their order. [any-thread]
  void record(double value, std::initializer_list<std::string_view> labels = {}) const {
    const auto fn = number_ != 0 ? host_.get(&ccm_host_metrics::record) : nullptr;
    if (fn == nullptr) return;
    std::vector<ccm_str> values;
    values.reserve(labels.size());
    for (const std::string_view label : labels) values.push_back(c_str(label));
    fn(host_.self(), number_, values.data(), values.size(), value);
  }

 private:
  Service<ccm_host_metrics> host_;
  uint64_t number_ = 0;
};

class Metrics {
 public:
  using Names = std::initializer_list<std::string_view>;

  Metrics() = default;
  explicit Metrics(Service<ccm_host_metrics> host) : host_(host) {}

  [[nodiscard]] Metric counter(std::string_view name, std::string_view help,
                               Names labels = {}) const {
    return define(CCM_METRIC_COUNTER, name, help, labels, {});
  }
  [[nodiscard]] Metric gauge(std::string_view name, std::string_view help,
                             Names labels = {}) const {
    return define(CCM_METRIC_GAUGE, name, help, labels, {});
  }
  // `buckets`: upper bounds, ascending, without +Inf.
  [[nodiscard]] Metric histogram(std::string_view name, std::string_view help,
                                 std::initializer_list<double> buckets, Names labels = {}) const {
    return define(CCM_METRIC_HISTOGRAM, name, help, labels, buckets);
  }

 private:
  // [create]
  [[nodiscard]] Metric define(int32_t kind, std::string_view name, std::string_view help,
                              Names labels, std::initializer_list<double> buckets) const {
    const auto fn = host_.get(&ccm_host_metrics::define);
    if (fn == nullptr) return {};
    std::vector<ccm_str> names;
    names.reserve(labels.size());
    for (const std::string_view label : labels) names.push_back(c_str(label));
    ccm_metric metric = sized<ccm_metric>();
    metric.kind = kind;
    metric.name = c_str(name);
    metric.help = c_str(help);
    metric.label_names = names.data();
    metric.label_count = names.size();
    metric.buckets = buckets.begin();
    metric.bucket_count = buckets.size();
    return Metric(host_, fn(host_.self(), &metric));
  }

  Service<ccm_host_metrics> host_;
};

}  // namespace ccm

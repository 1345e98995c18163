#include "serving/metrics/sampled.hpp"

namespace ccm::serving {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void SampledMetrics::gauge(std::string name, std::string help, Samples samples) {
  metrics_.push_back({MetricType::Gauge, std::move(name), std::move(help), std::move(samples)});
}

void SampledMetrics::counter(std::string name, std::string help, Samples samples) {
  metrics_.push_back({MetricType::Counter, std::move(name), std::move(help), std::move(samples)});
}

void SampledMetrics::histogram(std::string name, std::string help,
                               std::function<prometheus::ClientMetric::Histogram()> sample) {
  histograms_.push_back({std::move(name), std::move(help), std::move(sample)});
}

void SampledMetrics::gauge_of(std::string name, std::string help, std::function<double()> value) {
  gauge(std::move(name), std::move(help), [value = std::move(value)] {
    return std::vector<Sample>{Sample{{}, value()}};
  });
}

std::vector<MetricFamily> SampledMetrics::Collect() const {
  std::vector<MetricFamily> families;
  families.reserve(metrics_.size() + histograms_.size());
  for (const Metric& metric : metrics_) {
    MetricFamily family{metric.name, metric.help, metric.type, {}};
    for (const Sample& sample : metric.samples()) {
      ClientMetric series;
      for (const auto& [name, value] : sample.labels) series.label.push_back({name, value});
      if (metric.type == MetricType::Counter) {
        series.counter.value = sample.value;
      } else {
        series.gauge.value = sample.value;
      }
      family.metric.push_back(std::move(series));
    }
    if (!family.metric.empty()) families.push_back(std::move(family));
  }
  for (const Histogram& histogram : histograms_) {
    MetricFamily family{histogram.name, histogram.help, MetricType::Histogram, {}};
    family.metric.emplace_back().histogram = histogram.sample();
    families.push_back(std::move(family));
  }
  return families;
}

}  // namespace ccm::serving

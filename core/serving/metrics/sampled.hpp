// Metrics whose values are read at each scrape: values that the process has anyhow cost nothing in
// between. Collected on the server's thread.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::serving {

struct Sample {
  std::vector<std::pair<std::string, std::string>> labels;
  double value = 0;
};

class SampledMetrics final : public prometheus::Collectable {
 public:
  using Samples = std::function<std::vector<Sample>()>;

  void gauge(std::string name, std::string help, Samples samples);
  void counter(std::string name, std::string help, Samples samples);
  void histogram(std::string name, std::string help,
                 std::function<prometheus::ClientMetric::Histogram()> sample);
  // The same with one series without labels.
  void gauge_of(std::string name, std::string help, std::function<double()> value);

  // Families without samples are left out.
  [[nodiscard]] std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  struct Metric {
    prometheus::MetricType type;
    std::string name;
    std::string help;
    Samples samples;
  };
  struct Histogram {
    std::string name;
    std::string help;
    std::function<prometheus::ClientMetric::Histogram()> sample;
  };
  std::vector<Metric> metrics_;
  std::vector<Histogram> histograms_;
};

// process_* of this process (MET-46), and kubernetes_build_info (MET-43).
void add_process_metrics(SampledMetrics* metrics);
// Of these only the start time, which is on every page with counters (MET-45).
void add_start_time(SampledMetrics* metrics);
void add_build_info(SampledMetrics* metrics);

}  // namespace ccm::serving

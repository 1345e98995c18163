#include "serving/metrics/health_metrics.hpp"

#include <prometheus/metric_family.h>

#include <vector>

namespace ccm::serving {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

void HealthMetrics::record(const std::string& check, bool healthy) {
  const std::lock_guard lock(mutex_);
  Counts& known = checks_[check];
  known.healthy = healthy;
  ++(healthy ? known.successes : known.errors);
}

void HealthMetrics::reset() {
  const std::lock_guard lock(mutex_);
  checks_.clear();
}

std::vector<MetricFamily> HealthMetrics::Collect() const {
  MetricFamily latest{"kubernetes_healthcheck",
                      "1 for a health check that was good at its last run.",
                      MetricType::Gauge,
                      {}};
  MetricFamily total{"kubernetes_healthchecks_total",
                     "Runs of health checks by outcome.",
                     MetricType::Counter,
                     {}};
  const auto counted = [&total](const std::string& check, const char* status, uint64_t runs) {
    if (runs == 0) return;
    ClientMetric series;
    series.label = {{"name", check}, {"status", status}, {"type", "healthz"}};
    series.counter.value = static_cast<double>(runs);
    total.metric.push_back(std::move(series));
  };
  const std::lock_guard lock(mutex_);
  if (checks_.empty()) return {};
  for (const auto& [name, check] : checks_) {
    ClientMetric series;
    series.label = {{"name", name}, {"type", "healthz"}};
    series.gauge.value = check.healthy ? 1 : 0;
    latest.metric.push_back(std::move(series));
    counted(name, "success", check.successes);
    counted(name, "error", check.errors);
  }
  return {std::move(latest), std::move(total)};
}

}  // namespace ccm::serving

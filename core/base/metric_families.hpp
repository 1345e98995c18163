// Families of Prometheus metrics. Any thread.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <chrono>
#include <string>

namespace ccm::metrics {

using Counters = prometheus::Family<prometheus::Counter>;
using Gauges = prometheus::Family<prometheus::Gauge>;
using Histograms = prometheus::Family<prometheus::Histogram>;
using Buckets = prometheus::Histogram::BucketBoundaries;

// Each makes a family, or finds the one of that name. OWNERSHIP: the registry's.
inline Counters& counters(prometheus::Registry& registry, const std::string& name,
                          const std::string& help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
inline Gauges& gauges(prometheus::Registry& registry, const std::string& name,
                      const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}
inline Histograms& histograms(prometheus::Registry& registry, const std::string& name,
                              const std::string& help) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

inline double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace ccm::metrics

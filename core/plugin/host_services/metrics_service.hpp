// ccm.host.metrics/1 over the metrics of all plugins.
#pragma once

#include "plugin/host_services/host_service.hpp"

#include <ccm/abi/base.h>
#include <ccm/abi/metrics.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace prometheus {

class Registry;

}  // namespace prometheus

namespace ccm::plugin {

// The metrics that plugins define, separated from the host's own only by their names. Any thread.
struct MetricDefinition {
  enum class Kind : int32_t { counter = 1, gauge = 2, histogram = 3 };
  Kind kind = Kind::counter;
  std::string name;
  std::string help;
  std::vector<std::string> label_names;
  std::vector<double> buckets;
  bool operator==(const MetricDefinition&) const = default;
};

class MetricsRegistry {
 public:
  static constexpr std::size_t kSeriesLimit = 1000;

  // Whether the host has a metric of that name that is not in the registry: it is read at each
  // scrape.
  using IsSampled = std::function<bool(std::string_view name)>;

  // `registry` must outlive it. Without `is_sampled` there are no such metrics.
  explicit MetricsRegistry(prometheus::Registry& registry, IsSampled is_sampled = {});
  ~MetricsRegistry();

  // The metric's number; the same definition gives the same number. 0 when it cannot be had, and
  // `reason` says why.
  uint64_t define(MetricDefinition definition, std::string& reason);

  // Adds to a counter, sets a gauge, observes a histogram. `label_values` has one value for each
  // label name. Label values beyond kSeriesLimit series count as "other". Unknown metrics and
  // another number of values are ignored and counted, negative counts are ignored.
  void record(uint64_t metric, const ccm_str* label_values, std::size_t count, double value);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class MetricsService final : public HostService {
 public:
  MetricsService(const std::shared_ptr<LiveComponent>& component, MetricsRegistry& registry)
      : HostService(component, CCM_HOST_METRICS, &kTable), registry_(registry) {}

 private:
  static uint64_t define(void* self, const ccm_metric* metric) noexcept;
  static void record(void* self, uint64_t metric, const ccm_str* label_values, size_t label_count,
                     double value) noexcept;
  static const ccm_host_metrics kTable;

  MetricsRegistry& registry_;
};

}  // namespace ccm::plugin

// ccm.host.metrics/1 over the metrics of all plugins.
#pragma once

#include "plugin/host_services/host_service.hpp"
#include "plugin/host_services/metrics_registry.hpp"

#include <ccm/abi/metrics.h>

namespace ccm::plugin {

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

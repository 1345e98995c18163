#include "plugin/host_services/metrics_service.hpp"

#include "base/log.hpp"
#include "base/utf8.hpp"

namespace ccm::plugin {

namespace {

MetricDefinition read_definition(const ccm_metric& metric) {  // whole
  MetricDefinition definition;
  definition.kind = static_cast<MetricDefinition::Kind>(metric.kind);
  definition.name = view(metric.name);
  definition.help = utf8_text(view(metric.help));
  const std::size_t labels = metric.label_names != nullptr ? metric.label_count : 0;
  for (std::size_t index = 0; index < labels; ++index) {
    definition.label_names.emplace_back(view(metric.label_names[index]));
  }
  if (metric.buckets != nullptr) {
    definition.buckets.assign(metric.buckets, metric.buckets + metric.bucket_count);
  }
  return definition;
}

}  // namespace

uint64_t MetricsService::define(void* self, const ccm_metric* given) noexcept {
  auto& service = *static_cast<MetricsService*>(self);
  const auto component = service.component();
  if (!component || !component->check_thread(ThreadTag::create, "metrics.define")) return 0;
  if (given == nullptr) return 0;
  const ccm_metric metric = known(given);
  std::string reason = "it has a part, or a kind, that this host does not know";
  const bool understood =
      only_known(given) && metric.kind >= CCM_METRIC_COUNTER && metric.kind <= CCM_METRIC_HISTOGRAM;
  const uint64_t number =
      understood ? service.registry_.define(read_definition(metric), reason) : 0;
  if (number == 0) {
    log::error("Plugin's metric was refused", {{"plugin", component->identity().plugin_id},
                                               {"metric", view(metric.name)},
                                               {"reason", reason}});
  }
  return number;
}

void MetricsService::record(void* self, uint64_t metric, const ccm_str* label_values,
                            size_t label_count, double value) noexcept {
  const auto& service = *static_cast<MetricsService*>(self);
  if (!service.component()) return;
  service.registry_.record(metric, label_values, label_count, value);
}

const ccm_host_metrics MetricsService::kTable{sizeof(kTable), 0, &define, &record};

}  // namespace ccm::plugin

#include "plugin/host_services/metrics_service.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

#include <ccm/status.hpp>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace ccm::plugin {

namespace {

using CounterFamily = prometheus::Family<prometheus::Counter>*;
using GaugeFamily = prometheus::Family<prometheus::Gauge>*;
using HistogramFamily = prometheus::Family<prometheus::Histogram>*;
using Series = std::variant<prometheus::Counter*, prometheus::Gauge*, prometheus::Histogram*>;

constexpr const char* kTakenByTheHost = "the name is taken by a metric of the host";

bool valid_name(std::string_view name, bool colons) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  return std::all_of(name.begin(), name.end(), [&](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
           (colons && letter == ':');
  });
}

std::string fault_of(const MetricDefinition& definition) {
  if (!valid_name(definition.name, true)) return "its name is no metric name";
  std::set<std::string_view> seen;
  for (const std::string& label : definition.label_names) {
    if (!valid_name(label, false) || label.starts_with("__") || label == "le") {
      return "'" + label + "' is no name for a label";
    }
    if (!seen.insert(label).second) return "label '" + label + "' is named twice";
  }
  const auto& bounds = definition.buckets;
  if (definition.kind == MetricDefinition::Kind::histogram && bounds.empty()) {
    return "a histogram needs buckets";
  }
  const auto unordered = std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>());
  if (unordered != bounds.end() ||
      std::ranges::any_of(bounds, [](double bound) { return !std::isfinite(bound); })) {
    return "its buckets do not ascend";
  }
  return {};
}

}  // namespace

struct MetricsRegistry::State {
  struct Metric {
    MetricDefinition definition;
    std::variant<CounterFamily, GaugeFamily, HistogramFamily> family;
    std::map<std::vector<std::string>, Series> series;
  };

  // Throws when the host has the name. Of one type and without labels the registry would return the
  // host's own family; with any other labels it throws, so that is tried first.
  template <typename Build>
  auto* new_family(Build build, const MetricDefinition& wanted) {
    registry.Remove(
        build().Name(wanted.name).Help(wanted.help).Labels({{"of", "nobody"}}).Register(registry));
    return &build().Name(wanted.name).Help(wanted.help).Register(registry);
  }

  void add_family(Metric& metric) {
    const MetricDefinition& wanted = metric.definition;
    switch (wanted.kind) {
      case MetricDefinition::Kind::counter:
        metric.family = new_family(prometheus::BuildCounter, wanted);
        break;
      case MetricDefinition::Kind::gauge:
        metric.family = new_family(prometheus::BuildGauge, wanted);
        break;
      case MetricDefinition::Kind::histogram:
        metric.family = new_family(prometheus::BuildHistogram, wanted);
        break;
    }
  }

  static Series add_series(const Metric& metric, const std::vector<std::string>& values) {
    std::map<std::string, std::string> labels;
    for (std::size_t index = 0; index < values.size(); ++index) {
      labels.emplace(metric.definition.label_names[index], values[index]);
    }
    if (const auto* family = std::get_if<CounterFamily>(&metric.family)) {
      return &(*family)->Add(labels);
    }
    if (const auto* family = std::get_if<GaugeFamily>(&metric.family)) {
      return &(*family)->Add(labels);
    }
    return &std::get<HistogramFamily>(metric.family)->Add(labels, metric.definition.buckets);
  }

  static Series& find_series(Metric& metric, std::vector<std::string> values);

  State(prometheus::Registry& wanted, IsSampled sampled)
      : registry(wanted),
        is_sampled(std::move(sampled)),
        refused(prometheus::BuildCounter()
                    .Name("ccm_plugin_refused_metric_values_total")
                    .Help("Values that plugins recorded for metrics that they had not defined so.")
                    .Register(registry)
                    .Add({})) {}
  prometheus::Registry& registry;
  const IsSampled is_sampled;
  prometheus::Counter& refused;
  std::mutex mutex;
  std::deque<Metric> metrics;
};

MetricsRegistry::MetricsRegistry(prometheus::Registry& registry, IsSampled is_sampled)
    : state_(std::make_unique<State>(registry, std::move(is_sampled))) {}
MetricsRegistry::~MetricsRegistry() = default;

uint64_t MetricsRegistry::define(MetricDefinition definition, std::string& reason) {
  reason = fault_of(definition);
  if (!reason.empty()) return 0;
  if (state_->is_sampled && state_->is_sampled(definition.name)) {
    reason = kTakenByTheHost;
    return 0;
  }
  const std::lock_guard lock(state_->mutex);
  for (std::size_t index = 0; index < state_->metrics.size(); ++index) {
    const MetricDefinition& known = state_->metrics[index].definition;
    if (known.name != definition.name) continue;
    if (known == definition) return index + 1;
    reason = "the name is taken by a metric of another shape";
    return 0;
  }
  State::Metric metric;
  metric.definition = std::move(definition);
  try {
    state_->add_family(metric);
    // As upstream: a metric without labels is there with its first value, an alert that compares
    // with zero included. One with labels begins with its first label values.
    if (metric.definition.label_names.empty()) State::find_series(metric, {});
  } catch (const std::exception&) {
    reason = kTakenByTheHost;
    return 0;
  }
  state_->metrics.push_back(std::move(metric));
  return state_->metrics.size();
}

Series& MetricsRegistry::State::find_series(Metric& metric, std::vector<std::string> values) {
  auto found = metric.series.find(values);
  if (found != metric.series.end()) return found->second;
  // One place is kept for "other".
  if (!values.empty() && metric.series.size() + 1 >= kSeriesLimit) {
    std::fill(values.begin(), values.end(), "other");
    found = metric.series.find(values);
    if (found != metric.series.end()) return found->second;
  }
  const Series added = add_series(metric, values);
  return metric.series.emplace(std::move(values), added).first->second;
}

void MetricsRegistry::record(uint64_t metric, const ccm_str* label_values, std::size_t count,
                             double value) {
  const std::lock_guard lock(state_->mutex);
  const bool defined = metric != 0 && metric <= state_->metrics.size();
  if (!defined || state_->metrics[metric - 1].definition.label_names.size() != count ||
      (count > 0 && label_values == nullptr)) {
    return state_->refused.Increment();
  }
  State::Metric& known = state_->metrics[metric - 1];
  std::vector<std::string> values;
  values.reserve(count);
  for (std::size_t index = 0; index < count; ++index) {
    values.push_back(utf8_text(view(label_values[index])));
  }
  const Series series = state_->find_series(known, std::move(values));
  if (auto* const* counter = std::get_if<prometheus::Counter*>(&series)) {
    if (value >= 0) (*counter)->Increment(value);
  } else if (auto* const* gauge = std::get_if<prometheus::Gauge*>(&series)) {
    (*gauge)->Set(value);
  } else {
    std::get<prometheus::Histogram*>(series)->Observe(value);
  }
}

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

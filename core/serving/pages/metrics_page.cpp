#include "serving/pages/metrics_page.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace ccm::serving {

namespace {
constexpr std::chrono::milliseconds kSameMoment{50};
constexpr const char* kRegistered = "registered_metrics_total";

// As upstream declares its own; metrics that upstream lacks may change (MET-49).
const char* stability_of(std::string_view name) {
  const bool beta = name.starts_with("workqueue_") || name == "kubernetes_build_info" ||
                    name == "running_managed_controllers" || name == "hidden_metrics_total" ||
                    name == "disabled_metrics_total" || name == kRegistered;
  return beta ? "BETA" : "ALPHA";
}

bool by_name(const prometheus::MetricFamily& left, const prometheus::MetricFamily& right) {
  return left.name < right.name;
}
}  // namespace

void MetricsPage::count(std::vector<prometheus::MetricFamily>* families) {
  shown_.emplace(kRegistered);
  for (const auto& family : *families) shown_.insert(family.name);
  std::map<std::string, double> by_level;
  for (const std::string& name : shown_) ++by_level[stability_of(name)];
  prometheus::MetricFamily registered{
      kRegistered,
      "Metrics that this page has shown so far, by stability; none is deprecated.",
      prometheus::MetricType::Counter,
      {}};
  for (const auto& [level, number] : by_level) {
    prometheus::ClientMetric series;
    series.label = {{"deprecated_version", ""}, {"stability_level", level}};
    series.counter.value = number;
    registered.metric.push_back(std::move(series));
  }
  families->insert(std::upper_bound(families->begin(), families->end(), registered, by_name),
                   registered);
}

Answer MetricsPage::show() {
  const auto now = std::chrono::steady_clock::now();
  // Held by the answers that still send it; not kept in between.
  std::shared_ptr<const std::string> text = last_.lock();
  if (!text || now - made_ > kSameMoment) {
    std::vector<prometheus::MetricFamily> families;
    for (const prometheus::Collectable* source : sources_) {
      auto more = source->Collect();
      std::move(more.begin(), more.end(), std::back_inserter(families));
    }
    std::stable_sort(families.begin(), families.end(), by_name);
    families.erase(
        std::unique(families.begin(), families.end(),
                    [](const auto& left, const auto& right) { return left.name == right.name; }),
        families.end());
    if (counted_) count(&families);
    text = std::make_shared<const std::string>(prometheus::TextSerializer().Serialize(families));
    last_ = text;
    made_ = now;
  }
  Answer answer;
  answer.content_type = "text/plain; version=0.0.4; charset=utf-8";
  answer.shared = std::move(text);
  return answer;
}

}  // namespace ccm::serving

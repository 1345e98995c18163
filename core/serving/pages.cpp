#include "serving/pages.hpp"

#include "base/log.hpp"
#include "serving/site.hpp"

#include <ccm/lower_case.hpp>

#include <nlohmann/json.hpp>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string_view>

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
  const auto place =
      std::ranges::upper_bound(*families, registered.name, {}, &prometheus::MetricFamily::name);
  families->insert(place, registered);
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
    std::ranges::stable_sort(families, {}, &prometheus::MetricFamily::name);
    const auto again =
        std::unique(families.begin(), families.end(),
                    [](const auto& left, const auto& right) { return left.name == right.name; });
    families.erase(again, families.end());
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

bool wants_json(const Request& request) {
  const std::string accept = lower_case(request.header("Accept"));
  const auto json = accept.find("application/json");
  if (json == std::string::npos) return false;
  const auto text = accept.find("text/");
  return text == std::string::npos || json < text;
}

std::string page_header(std::string_view title) {
  return "\ncloud-controller-manager " + std::string(title) +
         "\nWarning: This endpoint is not meant to be machine parseable, has no formatting "
         "compatibility guarantees and is for debugging purposes only.\n\n";
}

Answer flags_page(const Request& request, const FlagValues& flags) {
  if (const auto refusal = only_reads(request)) return *refusal;
  Answer answer;
  if (wants_json(request)) {
    nlohmann::ordered_json page = {{"kind", "Flagz"},
                                   {"apiVersion", "config.k8s.io/v1alpha1"},
                                   {"metadata", {{"name", "cloud-controller-manager"}}},
                                   {"flags", nlohmann::ordered_json::object()}};
    for (const auto& [name, value] : flags) page["flags"][name] = value;
    answer.content_type = "application/json";
    answer.body = page.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    return answer;
  }
  answer.body = page_header("flags");
  for (const auto& [name, value] : flags) answer.body += name + "=" + value + "\n";
  return answer;
}

Answer verbosity_page(const Request& request) {
  if (request.method != "PUT") return Answer{406, "unsupported http method"};
  std::string_view text = request.body;
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  int level = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
  if (error != std::errc() || end != text.data() + text.size() || level < 0) {
    return Answer{400,
                  "failed set klog.logging.verbosity: the body is no decimal number from 0 up"};
  }
  const int before = log::verbosity();
  log::set_verbosity(level);
  log::info("The log's verbosity was changed",
            {{"from", before}, {"to", level}, {"user", request.user.name}});
  return Answer{200, "successfully set klog.logging.verbosity to " + std::to_string(level)};
}

}  // namespace ccm::serving

#include "serving/pages/metrics_page.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>

namespace ccm::serving {

namespace {
constexpr std::chrono::milliseconds kSameMoment{50};
}

Answer MetricsPage::show() {
  const auto now = std::chrono::steady_clock::now();
  // Held by those who still send it; nobody keeps it in between.
  std::shared_ptr<const std::string> text = last_.lock();
  if (!text || now - made_ > kSameMoment) {
    std::vector<prometheus::MetricFamily> families;
    for (const prometheus::Collectable* source : sources_) {
      auto more = source->Collect();
      std::move(more.begin(), more.end(), std::back_inserter(families));
    }
    std::stable_sort(families.begin(), families.end(),
                     [](const auto& left, const auto& right) { return left.name < right.name; });
    families.erase(
        std::unique(families.begin(), families.end(),
                    [](const auto& left, const auto& right) { return left.name == right.name; }),
        families.end());
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

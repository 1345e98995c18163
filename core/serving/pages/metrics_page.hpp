// Metrics as text (MET-1). The server's thread.
#pragma once

#include "serving/message.hpp"

#include <prometheus/collectable.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ccm::serving {

class MetricsPage {
 public:
  // The sources must outlive it. Of families with one name the first source's is shown: a plugin
  // with a metric of the host's name must not spoil the text for everybody.
  // `counted`: it also shows registered_metrics_total, how many families it has shown so far.
  explicit MetricsPage(std::vector<const prometheus::Collectable*> sources, bool counted = false)
      : sources_(std::move(sources)), counted_(counted) {}

  // Scrapes at the same moment get the same text, so that many cost as much as one.
  [[nodiscard]] Answer show();

 private:
  void count(std::vector<prometheus::MetricFamily>* families);

  std::vector<const prometheus::Collectable*> sources_;
  const bool counted_;
  std::set<std::string> shown_;  // names; a family can go and come
  std::weak_ptr<const std::string> last_;
  std::chrono::steady_clock::time_point made_;
};

}  // namespace ccm::serving

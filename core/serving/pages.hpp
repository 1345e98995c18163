// Pages: metrics as text (MET-1), the values of all flags (KEP-4828), and a change of --v in the
// running process (HOST-98). The server's thread.
#pragma once

#include "serving/message.hpp"

#include <prometheus/collectable.h>

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <utility>
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

using FlagValues = std::vector<std::pair<std::string, std::string>>;

// As text, or as JSON for clients that accept only that. The values are shown unchanged: callers
// leave out secrets.
Answer flags_page(const Request& request, const FlagValues& flags);

// Whether the request's Accept header asks for JSON rather than text.
bool wants_json(const Request& request);

// The note at the top of pages for people: they may change.
std::string page_header(std::string_view title);

// PUT with a decimal number. The change is logged with the name of the user.
Answer verbosity_page(const Request& request);

}  // namespace ccm::serving

#include "kube/exec_plugin_counts.hpp"

#include <algorithm>

namespace ccm::kube {

ExecPluginCounts& ExecPluginCounts::of_process() {
  static auto& counts = *new ExecPluginCounts;
  return counts;
}

void ExecPluginCounts::called(int code, std::string_view status) {
  const std::lock_guard lock(mutex_);
  ++sums_.calls[{code, std::string(status)}];
}

void ExecPluginCounts::holds(const void* holder, std::optional<TimePoint> expires) {
  const std::lock_guard lock(mutex_);
  if (expires) {
    expiries_[holder] = *expires;
  } else {
    expiries_.erase(holder);
  }
}

void ExecPluginCounts::rotated(std::chrono::seconds age) {
  const auto seconds = static_cast<double>(age.count());
  const auto* const limit = std::lower_bound(kRotationAges.begin(), kRotationAges.end(), seconds);
  const std::lock_guard lock(mutex_);
  ++sums_.ages[static_cast<std::size_t>(limit - kRotationAges.begin())];
  sums_.age_sum += seconds;
}

ExecPluginCounts::Report ExecPluginCounts::report() const {
  const std::lock_guard lock(mutex_);
  Report report = sums_;
  for (const auto& [holder, expires] : expiries_) {
    report.first_expiry = std::min(report.first_expiry.value_or(expires), expires);
  }
  return report;
}

}  // namespace ccm::kube

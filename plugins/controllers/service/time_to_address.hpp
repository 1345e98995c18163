// How long Services wait for their first address: only waiting ones are stored, so none counts
// twice. Times are the wall clock's, as those of objects are. [serial]
#pragma once

#include <ccm/metrics.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <unordered_map>

namespace ccm::service {

class TimeToAddress {
 public:
  using Milliseconds = std::chrono::milliseconds;

  explicit TimeToAddress(Metric delay) : delay_(delay) {}

  // The Service of that uid needs its first address since then; an earlier call has precedence.
  void needed(const std::string& uid, Milliseconds since) { since_.try_emplace(uid, since); }
  // An address was written to its status.
  void addressed(const std::string& uid, Milliseconds now) {
    const auto place = since_.find(uid);
    if (place == since_.end()) return;
    const Milliseconds took = std::max(now - place->second, Milliseconds(0));
    delay_.record(static_cast<double>(took.count()) / 1e3);
    since_.erase(place);
  }
  // It is gone, or no longer needs one.
  void forget(const std::string& uid) { since_.erase(uid); }

 private:
  Metric delay_;
  std::unordered_map<std::string, Milliseconds> since_;  // by uid
};

}  // namespace ccm::service

// When a failed change may be retried: upstream forgets it until the next event or period
// (TRAP-25). [serial]
#pragma once

#include <ccm/status.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::route {

using std::chrono::milliseconds;

inline constexpr std::string_view kBrakeEngaged = "DeletionBrakeEngaged";

// Too many routes would go at once.
inline bool held_by_brake(const Status& status) { return status.reason() == kBrakeEngaged; }

class Retries {
 public:
  // A name that never failed is due.
  [[nodiscard]] bool due(const std::string& name, milliseconds now) const;
  // Doubling from 1 s to 5 min, or to a minute of class waiting; at once 5 min after permanent
  // failures, a minute while the brake holds it; never before the status' own retry_after.
  void failed(const std::string& name, const Status& status, milliseconds now);
  void succeeded(const std::string& name) { failures_.erase(name); }
  // Some obstacle has gone: changes that failed with class waiting are due now.
  void hurry(milliseconds now);
  // Time until the first of them is due, at least 1 ms; nothing when there is none.
  [[nodiscard]] std::optional<milliseconds> next(milliseconds now) const;
  // Drops changes that were due long ago and not retried: they are no longer wanted.
  void forget_old(milliseconds now);
  [[nodiscard]] std::size_t size() const { return failures_.size(); }

 private:
  struct Failure {
    uint32_t count = 0;
    milliseconds due{0};
    bool waits = false;
  };
  std::map<std::string, Failure, std::less<>> failures_;
};

}  // namespace ccm::route

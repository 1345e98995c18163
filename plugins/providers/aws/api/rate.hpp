// How many calls a second AWS lets through, learned from its refusals: one rate for each family of
// calls, since AWS throttles them apart (AWS-36 to AWS-38). [serial]
#pragma once

#include "call.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace ccm::aws {

// Without a limit until the first refusal; then half of what was sent in the last second, and half
// again with each further refusal, at most once a second; a tenth more after each second without
// one, until there is no limit any more.
class Rate {
 public:
  // When the next call may be sent, by the same clock as `now`; takes that turn. Turns are given in
  // the order of asking.
  std::chrono::milliseconds take_turn(std::chrono::milliseconds now);
  // AWS refused a call that had a turn.
  void throttled(std::chrono::milliseconds now);
  // Calls a second; 0 = no limit.
  [[nodiscard]] double limit() const { return limit_; }

 private:
  void recover(std::chrono::milliseconds now);

  double limit_ = 0;
  double next_ms_ = 0;                         // when the next turn is
  std::chrono::milliseconds changed_at_{0};    // of the limit
  std::chrono::milliseconds throttled_at_{0};  // for the last time that counted
  std::chrono::milliseconds second_begin_{0};  // in which sent_ is counted
  size_t sent_ = 0;
  size_t sent_before_ = 0;  // in the second before
};

// EC2 and Elastic Load Balancing, reads and writes apart, and STS.
class Rates {
 public:
  [[nodiscard]] Rate& of(const Call& call);

 private:
  std::array<Rate, 5> all_;
};

}  // namespace ccm::aws

// For log lines that a client can cause without limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace ccm::log {

// Lets one line pass in each period and counts the others. One thread.
class Throttle {
 public:
  using Clock = std::chrono::steady_clock;
  explicit Throttle(Clock::duration period = std::chrono::seconds(10)) : period_(period) {}

  // Nothing: leave this line out. Else the number of lines left out since the last one.
  std::optional<std::uint64_t> pass(Clock::time_point now = Clock::now()) {
    if (now < next_) {
      ++left_out_;
      return std::nullopt;
    }
    next_ = now + period_;
    const std::uint64_t count = left_out_;
    left_out_ = 0;
    return count;
  }

 private:
  Clock::duration period_;
  Clock::time_point next_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace ccm::log

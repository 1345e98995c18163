// The number of questions that a controller repeats within its period. They arrive a few at a time,
// one per worker of the controller, so only a whole period shows how many instances are in doubt.
#pragma once

#include "runtime/timers.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace ccm::plugin {

class PollRate {
 public:
  void count(runtime::TimePoint now, std::chrono::milliseconds period) {
    if (now - began_ >= period) {
      before_ = now - began_ < 2 * period ? count_ : 0;
      count_ = 0;
      began_ = now;
    }
    ++count_;
  }
  // Of this period or of the previous one, whichever had more.
  [[nodiscard]] std::size_t most() const { return std::max(count_, before_); }

 private:
  runtime::TimePoint began_;
  std::size_t count_ = 0;
  std::size_t before_ = 0;
};

}  // namespace ccm::plugin

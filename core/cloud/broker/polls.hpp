// The cost of questions that controllers repeat: how many there are, and how many calls to the
// cloud are left for them. Loop thread.
#pragma once

#include "runtime/timers.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace ccm::plugin {

// The number of questions within a period. They arrive a few at a time, one for each worker of the
// controller, so only a whole period shows how many instances are in doubt. A controller that wants
// answers of at most some age asks about twice as often.
class PollRate {
 public:
  void count(runtime::TimePoint now, std::chrono::milliseconds max_age) {
    const auto period = 2 * max_age;
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

// One call in kPause on average, and kBurst of them at once when there were none for a while: 460
// calls in the first hour, 360 in each further one, however many Nodes are in doubt.
class PollBudget {
 public:
  static constexpr std::chrono::milliseconds kPause{10'000};
  static constexpr double kBurst = 100;

  // That many calls may be made now, and `reserve`, a share of kBurst, is left for more urgent
  // ones.
  [[nodiscard]] bool affords(runtime::TimePoint now, std::size_t calls, double reserve) const {
    return level(now) - static_cast<double>(calls) >= reserve * kBurst;
  }
  // Also calls that cannot be avoided: those that come later wait longer.
  void spend(runtime::TimePoint now, std::size_t calls) {
    level_ = std::max(level(now) - static_cast<double>(calls), -kBurst);
    at_ = now;
  }

 private:
  [[nodiscard]] double level(runtime::TimePoint now) const {
    return std::min(level_ + std::chrono::duration<double>(now - at_) / kPause, kBurst);
  }

  double level_ = kBurst;
  runtime::TimePoint at_;
};

}  // namespace ccm::plugin

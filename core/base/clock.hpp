// Time as a dependency, for code that has no event loop's timers at hand.
#pragma once

#include <time.h>

#include <chrono>

namespace ccm {

// Monotonic and running on while the machine sleeps or the process is stopped.
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept {
    timespec value{};
    ::clock_gettime(CLOCK_BOOTTIME, &value);
    return time_point(std::chrono::seconds(value.tv_sec) + std::chrono::nanoseconds(value.tv_nsec));
  }
};

// Both methods: any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual BootClock::time_point now() const = 0;
  // Wall time: for what others read, never for measuring.
  [[nodiscard]] virtual std::chrono::system_clock::time_point wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] BootClock::time_point now() const override { return BootClock::now(); }
  [[nodiscard]] std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::now();
  }
};

}  // namespace ccm

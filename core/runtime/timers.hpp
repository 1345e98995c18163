// Time as a dependency: what waits, waits through Timers, so tests turn the clock by hand.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>

namespace ccm::runtime {

// Monotonic and running on while the machine sleeps, so that a deadline means what it says.
struct BootClock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;
  static time_point now() noexcept;
};
using TimePoint = BootClock::time_point;

class Timers {
 public:
  using Id = uint64_t;  // never 0
  virtual ~Timers() = default;

  // Any thread.
  [[nodiscard]] virtual TimePoint now() const = 0;

  // Calls `fn` once on the loop, `delay` from now or later, never inside this call; a delay of 0 or
  // less means soon. Any thread.
  virtual Id after(std::chrono::milliseconds delay, std::function<void()> fn) = 0;

  // True when the timer had not run: then it never will. Called on the loop, `fn` does not run
  // after this returned, whatever the result. Unknown ids are ignored. Any thread.
  virtual bool cancel(Id id) = 0;
};

}  // namespace ccm::runtime

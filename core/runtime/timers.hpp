// Time as a dependency: all waits go through Timers, so tests can set the clock.
#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstdint>
#include <functional>

namespace ccm::runtime {

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

// Times in the tables' format.
#pragma once

#include <chrono>

namespace ccm::bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

inline double milliseconds_since(Clock::time_point start) { return seconds_since(start) * 1000; }

}  // namespace ccm::bench

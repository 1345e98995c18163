// Clamps durations from plugins to a range with which the host can reckon.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace ccm::plugin {

// Longer than any process lives, and far from the clock's end.
inline constexpr std::chrono::milliseconds kLongestDelay = std::chrono::hours(24 * 365);

// From 0 to kLongestDelay.
inline std::chrono::milliseconds bounded(int64_t delay_ms) {
  return std::chrono::milliseconds(std::clamp<int64_t>(delay_ms, 0, kLongestDelay.count()));
}

}  // namespace ccm::plugin

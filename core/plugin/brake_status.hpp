// The reasons of a Status with which a brake holds something back. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string_view>

namespace ccm::plugin {

inline constexpr std::string_view kDeletionHeld = "DeletionHeld";      // a Node, for the limit
inline constexpr std::string_view kCloudViewBlind = "CloudViewBlind";  // a Node, for the canary
inline constexpr std::string_view kDeletionBrakeEngaged = "DeletionBrakeEngaged";  // anything else

// A brake refused it, and somebody may have to release it.
inline bool is_held(const Status& status) {
  return status.reason() == kDeletionHeld || status.reason() == kCloudViewBlind ||
         status.reason() == kDeletionBrakeEngaged;
}

}  // namespace ccm::plugin

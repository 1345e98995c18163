// The reasons of a Status with which a brake or a limit holds something back. Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string_view>

namespace ccm::plugin {

inline constexpr std::string_view kDeletionHeld = "DeletionHeld";      // a Node, for the limit
inline constexpr std::string_view kCloudViewBlind = "CloudViewBlind";  // a Node: no proof
inline constexpr std::string_view kDeletionBrakeEngaged = "DeletionBrakeEngaged";  // anything else
inline constexpr std::string_view kReplacementHeld = "ReplacementHeld";  // another load balancer
// A change of a Service that waits for its turn: it comes by itself.
inline constexpr std::string_view kChangesLimited = "ChangesLimited";

// A brake refused it, and somebody may have to release it.
inline bool is_held(const Status& status) {
  return status.reason() == kDeletionHeld || status.reason() == kCloudViewBlind ||
         status.reason() == kDeletionBrakeEngaged || status.reason() == kReplacementHeld;
}

}  // namespace ccm::plugin

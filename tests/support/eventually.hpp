// Waiting for a condition of another process without a sleep of a guessed length.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>

namespace ccm::support {

// Asks condition again and again, at first every few milliseconds and then more rarely, until it
// holds or timeout has passed. Returns whether it held. An exception of condition passes through.
bool eventually(std::chrono::milliseconds timeout, const std::function<bool()>& condition);

// The longest time that a suite waits for something which is expected to happen; generous, since
// it is only used up by failures. CCM_TEST_PATIENCE (seconds) overrides.
inline std::chrono::milliseconds patience() {
  const char* seconds = std::getenv("CCM_TEST_PATIENCE");
  return std::chrono::seconds(seconds != nullptr ? std::max(1, std::atoi(seconds)) : 30);
}

// How much longer than usual the programs under test take, 1 or CCM_TEST_SLOWDOWN: for what has to
// keep pace with them, as under a sanitizer.
int slowdown();

}  // namespace ccm::support

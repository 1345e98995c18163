#include "support/eventually.hpp"

#include <algorithm>
#include <cstdlib>
#include <thread>

namespace ccm::support {

bool eventually(std::chrono::milliseconds timeout, const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + timeout;
  auto pause = std::chrono::milliseconds(5);
  while (!condition()) {
    const auto now = std::chrono::steady_clock::now();
    if (now >= deadline) return false;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - now);
    std::this_thread::sleep_for(std::min(pause, left + std::chrono::milliseconds(1)));
    pause = std::min(pause * 3 / 2, std::chrono::milliseconds(100));
  }
  return true;
}

int slowdown() {
  const char* factor = std::getenv("CCM_TEST_SLOWDOWN");
  return factor != nullptr ? std::max(1, std::atoi(factor)) : 1;
}

}  // namespace ccm::support

#include "call_rate.hpp"

#include <algorithm>
#include <cstdint>

namespace ccm::digitalocean {

std::shared_ptr<CallRate> CallRate::of_process() {
  static std::mutex mutex;
  static std::weak_ptr<CallRate> shared;
  const std::lock_guard lock(mutex);
  std::shared_ptr<CallRate> rate = shared.lock();
  if (!rate) shared = rate = std::make_shared<CallRate>();
  return rate;
}

std::chrono::milliseconds CallRate::take_turn(std::chrono::milliseconds now,
                                              double calls_per_second,
                                              std::chrono::milliseconds longest_wait) {
  const std::chrono::milliseconds pause(static_cast<int64_t>(1000 / calls_per_second));
  const std::lock_guard lock(mutex_);
  const std::chrono::milliseconds turn = std::max(now, next_turn_);
  if (turn - now <= longest_wait) next_turn_ = turn + pause;
  return turn;
}

}  // namespace ccm::digitalocean

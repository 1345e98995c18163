// The rate of calls to DigitalOcean's API, one for the process.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

namespace ccm::digitalocean {

// Grants turns first come first served, evenly spaced. The provider and the controllers of this
// plugin are separate components with one account, so they share it (DO-17). From any thread.
class CallRate {
 public:
  // The shared one; it exists as long as somebody holds it.
  static std::shared_ptr<CallRate> of_process();

  // The moment of the next turn, `now` or later, by the clock of `now`. One that is further away
  // than `longest_wait` is not taken: the caller would give up before it.
  std::chrono::milliseconds take_turn(std::chrono::milliseconds now, double calls_per_second,
                                      std::chrono::milliseconds longest_wait);

 private:
  std::mutex mutex_;
  std::chrono::milliseconds next_turn_{0};
};

}  // namespace ccm::digitalocean

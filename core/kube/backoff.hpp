// Growing pauses with jitter (API-35). Private to core/kube.
#pragma once

#include <algorithm>
#include <chrono>
#include <random>

namespace ccm::kube {

class Backoff {
 public:
  using Milliseconds = std::chrono::milliseconds;
  using Clock = std::chrono::steady_clock;

  Backoff(Milliseconds initial, Milliseconds limit, Milliseconds reset, double jitter)
      : initial_(initial), limit_(limit), reset_(reset), jitter_(jitter), step_(initial) {}

  // The pause after one more failure; the first pause again when there was none for the reset time.
  // A failure may bring a lower limit.
  Milliseconds next(Clock::time_point now, Milliseconds limit = Milliseconds::max()) {
    if (now - last_ > reset_) step_ = initial_;
    last_ = now;
    std::uniform_real_distribution<double> spread(1.0, 1.0 + jitter_);
    const auto pause =
        std::chrono::duration_cast<Milliseconds>(std::min(step_, limit) * spread(random_));
    step_ = std::min(step_ * 2, limit_);
    return pause;
  }

 private:
  Milliseconds initial_;
  Milliseconds limit_;
  Milliseconds reset_;
  double jitter_;
  Milliseconds step_;
  Clock::time_point last_{};
  std::minstd_rand random_{std::random_device{}()};
};

}  // namespace ccm::kube

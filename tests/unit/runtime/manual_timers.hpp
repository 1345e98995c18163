// Timers whose clock stands still until the test turns it.
#pragma once

#include "runtime/timers.hpp"

#include <map>
#include <mutex>
#include <utility>

namespace ccm::runtime {

class ManualTimers final : public Timers {
 public:
  ManualTimers() = default;
  // Destroying a waiting function may cancel other timers.
  ~ManualTimers() override {
    while (!waiting_.empty()) {
      const auto fn = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
    }
  }
  ManualTimers(const ManualTimers&) = delete;
  ManualTimers& operator=(const ManualTimers&) = delete;

  [[nodiscard]] TimePoint now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  Id after(std::chrono::milliseconds delay, std::function<void()> fn) override {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(Key{now_ + std::max(delay, std::chrono::milliseconds(0)), ++last_id_},
                     std::move(fn));
    return last_id_;
  }

  bool cancel(Id id) override {
    const std::lock_guard lock(mutex_);
    for (auto place = waiting_.begin(); place != waiting_.end(); ++place) {
      if (place->first.second != id) continue;
      waiting_.erase(place);
      return true;
    }
    return false;
  }

  // Runs everything that is due on the way, in order.
  void advance(std::chrono::milliseconds step) {
    const TimePoint end = now() + step;
    while (auto fn = take_until(end)) fn();
    const std::lock_guard lock(mutex_);
    now_ = end;
  }

  // Jumps without running anything: time that passed inside a call.
  void skip(std::chrono::milliseconds step) {
    const std::lock_guard lock(mutex_);
    now_ += step;
  }

  [[nodiscard]] std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  using Key = std::pair<TimePoint, Id>;

  std::function<void()> take_until(TimePoint end) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() || waiting_.begin()->first.first > end) return {};
    auto fn = std::move(waiting_.begin()->second);
    now_ = std::max(now_, waiting_.begin()->first.first);
    waiting_.erase(waiting_.begin());
    return fn;
  }

  mutable std::mutex mutex_;
  TimePoint now_{std::chrono::hours(1)};
  std::map<Key, std::function<void()>> waiting_;
  Id last_id_ = 0;
};

}  // namespace ccm::runtime

#include "ccm/testing/fake_loop.hpp"

#include <algorithm>

namespace ccm::testing {

FakeLoop::FakeLoop() : thread_(std::this_thread::get_id()) {}

FakeLoop::~FakeLoop() {
  for (std::thread& thread : threads_) thread.join();
}

void FakeLoop::post(std::function<void()> fn) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(fn));
  changed_.notify_all();
}

uint64_t FakeLoop::after(Milliseconds delay, std::function<void()> fn) {
  const std::lock_guard lock(mutex_);
  timers_.emplace(std::pair(now_ + std::max(delay, Milliseconds(0)), ++last_timer_), std::move(fn));
  return last_timer_;
}

void FakeLoop::cancel(uint64_t timer) {
  const std::lock_guard lock(mutex_);
  std::erase_if(timers_, [timer](const auto& entry) { return entry.first.second == timer; });
}

void FakeLoop::work(std::function<void()> fn) {
  const std::lock_guard lock(mutex_);
  ++busy_;
  threads_.emplace_back([this, fn = std::move(fn)] {
    fn();
    const std::lock_guard ended(mutex_);
    --busy_;
    changed_.notify_all();
  });
}

std::optional<std::function<void()>> FakeLoop::take() {
  std::unique_lock lock(mutex_);
  for (;;) {
    std::function<void()> fn;
    if (!posted_.empty()) {
      fn = std::move(posted_.front());
      posted_.pop_front();
      return fn;
    }
    if (!timers_.empty() && timers_.begin()->first.first <= now_) {
      fn = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      return fn;
    }
    // A worker that waits for a timer of the fake clock would wait for ever: give it real time to
    // post, and let the caller move the clock when it does not.
    if (busy_ == 0 || changed_.wait_for(lock, Milliseconds(20)) == std::cv_status::timeout) {
      return std::nullopt;
    }
  }
}

void FakeLoop::run() {
  while (auto fn = take()) (*fn)();
}

std::optional<FakeLoop::Milliseconds> FakeLoop::next_timer() const {
  const std::lock_guard lock(mutex_);
  if (timers_.empty()) return std::nullopt;
  return timers_.begin()->first.first;
}

void FakeLoop::set_clock(Milliseconds time) {
  const std::lock_guard lock(mutex_);
  now_ = std::max(now_, time);
}

void FakeLoop::advance(Milliseconds by) {
  const Milliseconds end = now() + by;
  run();
  for (auto next = next_timer(); next && *next <= end; next = next_timer()) {
    set_clock(*next);
    run();
  }
  set_clock(end);
}

bool FakeLoop::run_until(const std::function<bool()>& done) {
  // Patience for worker threads that run real code; the clock of the test does not move by it.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    run();
    if (done()) return true;
    if (const auto next = next_timer()) {
      set_clock(*next);
      continue;
    }
    std::unique_lock lock(mutex_);
    if (busy_ == 0 && posted_.empty()) return false;
    if (std::chrono::steady_clock::now() > give_up) return false;
    changed_.wait_for(lock, Milliseconds(20));
  }
}

FakeLoop::Milliseconds FakeLoop::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

std::size_t FakeLoop::pending_timers() const {
  const std::lock_guard lock(mutex_);
  return timers_.size();
}

}  // namespace ccm::testing

#include "ccm/testing/fake_loop.hpp"

#include <algorithm>

namespace ccm::testing {

FakeLoop::FakeLoop() : thread_(std::this_thread::get_id()) {}

void FakeLoop::clear() {
  decltype(threads_) threads;
  {
    const std::lock_guard lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
  drop();
}

void FakeLoop::drop() {
  // Destroyed outside the lock: what they hold may call back.
  decltype(posted_) posted;
  decltype(timers_) timers;
  const std::lock_guard lock(mutex_);
  posted.swap(posted_);
  timers.swap(timers_);
}

void FakeLoop::post(std::function<void()> fn) {
  const std::lock_guard lock(mutex_);
  posted_.push_back(std::move(fn));
  changed_.notify_all();
}

uint64_t FakeLoop::after(Milliseconds delay, std::function<void()> fn, bool deadline) {
  const std::lock_guard lock(mutex_);
  timers_.emplace(std::pair(now_ + std::max(delay, Milliseconds(0)), ++last_timer_),
                  Timer{std::move(fn), deadline});
  return last_timer_;
}

void FakeLoop::cancel(uint64_t timer) {
  std::function<void()> dropped;  // destroyed outside the lock: what it holds may call back
  const std::lock_guard lock(mutex_);
  const auto place = std::find_if(timers_.begin(), timers_.end(), [timer](const auto& entry) {
    return entry.first.second == timer;
  });
  if (place == timers_.end()) return;
  dropped = std::move(place->second.fn);
  timers_.erase(place);
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

void FakeLoop::stand_still(const std::function<void()>& work) {
  {
    const std::lock_guard lock(mutex_);
    ++standing_;
  }
  work();
  const std::lock_guard lock(mutex_);
  --standing_;
  changed_.notify_all();
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
      fn = std::move(timers_.begin()->second.fn);
      timers_.erase(timers_.begin());
      return fn;
    }
    // A worker that waits for a timer of the fake clock would wait for ever: give it real time to
    // post, and let the caller move the clock when it does not.
    const bool others = busy_ > 0 || standing_ > 0;
    const bool silent =
        !others || changed_.wait_for(lock, Milliseconds(20)) == std::cv_status::timeout;
    if (silent && standing_ == 0) return std::nullopt;
  }
}

void FakeLoop::run() {
  while (auto fn = take()) (*fn)();
}

std::optional<FakeLoop::Milliseconds> FakeLoop::next_timer(bool deadlines_too) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [place, timer] : timers_) {
    if (deadlines_too || !timer.deadline) return place.first;
  }
  return std::nullopt;
}

void FakeLoop::set_clock(Milliseconds time) {
  const std::lock_guard lock(mutex_);
  now_ = std::max(now_, time);
}

void FakeLoop::advance(Milliseconds by) {
  const Milliseconds end = now() + by;
  run();
  for (auto next = next_timer(true); next && *next <= end; next = next_timer(true)) {
    set_clock(*next);
    run();
  }
  set_clock(end);
}

// Waits for something to be posted; false when nothing was within that time, or nobody could.
bool FakeLoop::wait_for_others(std::chrono::steady_clock::duration most) {
  const auto end = std::chrono::steady_clock::now() + most;
  const auto may_post = [this] { return busy() > 0 || (others_ && others_()); };
  for (;;) {
    const bool over = std::chrono::steady_clock::now() >= end;
    const bool alive = may_post();
    std::unique_lock lock(mutex_);
    if (!posted_.empty()) return true;
    if (standing_ == 0 && (over || !alive)) return false;
    changed_.wait_for(lock, Milliseconds(5));
  }
}

bool FakeLoop::run_until(const std::function<bool()>& done) {
  // Other threads run real code in real time: while there are some, a deadline may pass only when
  // they have shown nothing for that long. Under a slow machine or a checker a second is not much.
  constexpr auto kPatience = std::chrono::seconds(2);
  constexpr auto kShortPatience = Milliseconds(100);
  for (;;) {
    run();
    if (done()) return true;
    const auto next = next_timer(false);
    if (next && busy() == 0) {
      if (others_ && wait_for_others(kShortPatience)) continue;
    } else if (!next && wait_for_others(kPatience)) {
      continue;
    }
    const auto timer = next ? next : next_timer(true);
    if (!timer) return false;
    set_clock(*timer);
  }
}

FakeLoop::Milliseconds FakeLoop::now() const {
  const std::lock_guard lock(mutex_);
  return now_;
}

int FakeLoop::busy() const {
  const std::lock_guard lock(mutex_);
  return busy_;
}

std::size_t FakeLoop::pending_timers() const {
  const std::lock_guard lock(mutex_);
  return timers_.size();
}

}  // namespace ccm::testing

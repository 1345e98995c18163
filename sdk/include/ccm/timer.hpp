// ccm::Timer: clocks and waiting. ccm::Post: hand-over to the component's [serial] context.
#pragma once

#include <ccm/abi/timer.h>
#include <ccm/ctx.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace ccm {

class Timer {
 public:
  // The result of sleep(); for co_await, once.
  class [[nodiscard]] Sleep {
   public:
    Sleep(Service<ccm_host_timer> host, Ctx ctx, std::chrono::milliseconds delay)
        : host_(host), ctx_(std::move(ctx)), delay_(delay) {}
    Sleep(const Sleep&) = delete;
    Sleep& operator=(const Sleep&) = delete;
    ~Sleep() { stop(); }

    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiting) {
      const auto after = host_.get(&ccm_host_timer::after);
      if (after == nullptr) {
        outcome_ = detail::missing(CCM_HOST_TIMER, "after");
        return false;
      }
      waiting_ = waiting;
      registration_ = ctx_.on_cancel(&Sleep::cancelled, this);
      starting_ = false;
      if (ended_) return false;
      timer_ = after(host_.self(), delay_.count(), &Sleep::expired, this);
      return true;
    }
    Status await_resume() { return std::move(outcome_); }

   private:
    static void expired(void* owner) noexcept { static_cast<Sleep*>(owner)->end(); }
    static void cancelled(void* owner) noexcept {
      auto& self = *static_cast<Sleep*>(owner);
      self.outcome_ = self.ctx_.status();
      self.end();
    }
    void end() {
      ended_ = true;
      if (starting_) return;  // the host called back inside on_cancel
      stop();
      waiting_.resume();
    }
    void stop() {
      const auto cancel = timer_ != 0 ? host_.get(&ccm_host_timer::cancel) : nullptr;
      if (cancel != nullptr) cancel(host_.self(), timer_);
      timer_ = 0;
      ctx_.remove_on_cancel(std::exchange(registration_, 0));
    }

    Service<ccm_host_timer> host_;
    Ctx ctx_;
    std::chrono::milliseconds delay_;
    std::coroutine_handle<> waiting_;
    Status outcome_;
    uint64_t timer_ = 0;
    uint64_t registration_ = 0;
    bool starting_ = true;
    bool ended_ = false;
  };

  Timer() = default;
  explicit Timer(Service<ccm_host_timer> host) : host_(host) {}

  // Monotonic; advances while the machine sleeps. [any-thread]
  [[nodiscard]] std::chrono::milliseconds now() const {
    const auto fn = host_.get(&ccm_host_timer::now_ms);
    return std::chrono::milliseconds(fn != nullptr ? fn(host_.self()) : 0);
  }
  // Since 1970, UTC. [any-thread]
  [[nodiscard]] std::chrono::milliseconds wall_clock() const {
    const auto fn = host_.get(&ccm_host_timer::wall_clock_ms);
    return std::chrono::milliseconds(fn != nullptr ? fn(host_.self()) : 0);
  }

  // Waits; ok after `delay`, else why `ctx` ended before. A wait for the cloud is better answered
  // with ErrorClass::waiting and a retry_after than slept. [serial]
  [[nodiscard]] Sleep sleep(Ctx ctx, std::chrono::milliseconds delay) const {
    return Sleep(host_, std::move(ctx), delay);
  }

 private:
  Service<ccm_host_timer> host_;
};

class Post {
 public:
  explicit Post(Service<ccm_host_post> host) : host_(host) {}
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  // Calls `fn` once in [serial], never inside this call, in the order of posting. False when this
  // host cannot. `fn` must not throw. [any-thread]
  bool operator()(std::function<void()> fn) const {
    const auto post = host_.get(&ccm_host_post::post);
    if (post == nullptr) return false;
    auto& entry = keep(std::move(fn));
    post(host_.self(), &Post::run, &entry);
    return true;
  }

 private:
  // Kept here, so that what the host drops at the component's end is freed with it.
  struct Entry {
    const Post* owner;
    std::function<void()> fn;
    std::list<Entry>::iterator place;
  };

  Entry& keep(std::function<void()> fn) const {
    const std::lock_guard lock(mutex_);
    entries_.push_back(Entry{this, std::move(fn), {}});
    entries_.back().place = std::prev(entries_.end());
    return entries_.back();
  }
  static void run(void* owner) noexcept {
    const auto& entry = *static_cast<Entry*>(owner);
    const Post& self = *entry.owner;
    std::list<Entry> mine;
    {
      const std::lock_guard lock(self.mutex_);
      mine.splice(mine.begin(), self.entries_, entry.place);
    }
    mine.front().fn();
  }

  Service<ccm_host_post> host_;
  mutable std::mutex mutex_;
  mutable std::list<Entry> entries_;
};

}  // namespace ccm

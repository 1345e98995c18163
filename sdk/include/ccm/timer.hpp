// ccm::Timer: clocks and waiting. ccm::Post: hand-over to the plugin's [serial] context.
#pragma once

#include <ccm/abi/timer.h>
#include <ccm/callback.hpp>
#include <ccm/ctx.hpp>
#include <ccm/log.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <coroutine>
#include <cstdint>
#include <functional>
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
      timer_ =
          after(host_.self(), delay_.count(), detail::borrowed_callback(&Sleep::expired, this));
      if (timer_ == 0) {
        outcome_ = Status(Code::failed_precondition, "the host starts no timer any more");
        return false;
      }
      registration_ = ctx_.on_end(detail::borrowed_callback(&Sleep::ctx_ended, this));
      return true;
    }
    Status await_resume() { return std::move(outcome_); }

   private:
    static void expired(void* owner) noexcept { static_cast<Sleep*>(owner)->end(); }
    static void ctx_ended(void* owner) noexcept {
      auto& self = *static_cast<Sleep*>(owner);
      self.outcome_ = self.ctx_.status();
      self.end();
    }
    void end() {
      stop();
      waiting_.resume();
    }
    void stop() {
      const auto cancel = timer_ != 0 ? host_.get(&ccm_host_timer::cancel) : nullptr;
      if (cancel != nullptr) cancel(host_.self(), std::exchange(timer_, 0));
      ctx_.remove_on_end(std::exchange(registration_, 0));
    }

    Service<ccm_host_timer> host_;
    Ctx ctx_;
    std::chrono::milliseconds delay_;
    std::coroutine_handle<> waiting_;
    Status outcome_;
    uint64_t timer_ = 0;
    uint64_t registration_ = 0;
  };

  Timer() = default;
  explicit Timer(Service<ccm_host_timer> host, Log log = {}) : host_(host), log_(std::move(log)) {}

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

  // Calls `fn` once in [serial] after `delay`. 0 when the host refuses or cannot. [any-thread]
  uint64_t after(std::chrono::milliseconds delay, std::function<void()> fn) const {
    const auto start = host_.get(&ccm_host_timer::after);
    if (start == nullptr) return 0;
    return start(host_.self(), delay.count(),
                 detail::make_callback(log_, "timer.after", std::move(fn)));
  }
  // After it returned in [serial] the function is not called any more. [any-thread]
  void cancel(uint64_t timer) const {
    const auto stop = host_.get(&ccm_host_timer::cancel);
    if (stop != nullptr && timer != 0) stop(host_.self(), timer);
  }

 private:
  Service<ccm_host_timer> host_;
  Log log_;
};

class Post {
 public:
  explicit Post(Service<ccm_host_post> host, Log log = {}) : host_(host), log_(std::move(log)) {}
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  // Calls `fn` once in [serial], never inside this call, in the order of posting; or destroys it,
  // when the component ends. False when this host cannot. [any-thread]
  bool operator()(std::function<void()> fn) const {
    const auto post = host_.get(&ccm_host_post::post);
    if (post == nullptr) return false;
    post(host_.self(), detail::make_callback(log_, "post", std::move(fn)));
    return true;
  }

 private:
  Service<ccm_host_post> host_;
  Log log_;
};

}  // namespace ccm

// What a ccm::Task waits for in core/plugin and core/cloud (docs/architecture.md, "Waiting"): for a
// callback, for a while, or for several others.
//   CallbackAwaiter<T> answer(start); T value = co_await answer;
#pragma once

#include "plugin/context.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ccm::plugin {

template <typename T>
class CallbackAwaiter {
 public:
  // Gets the callback, which is to be called once, inside `start` or later on the same thread. When
  // the coroutine is destroyed before that, the callback does nothing.
  using Start = std::function<void(std::function<void(T)>)>;

  explicit CallbackAwaiter(Start start) : start_(std::move(start)) {}
  CallbackAwaiter& operator=(CallbackAwaiter&&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    start_([weak = std::weak_ptr(answer_)](T value) {
      const auto answer = weak.lock();
      if (!answer) return;
      answer->value.emplace(std::move(value));
      if (answer->waiting) answer->waiting.resume();
    });
    if (answer_->value) return false;
    answer_->waiting = waiting;
    return true;
  }
  T await_resume() { return std::move(*answer_->value); }

 private:
  struct Answer {
    std::optional<T> value;
    std::coroutine_handle<> waiting;
  };
  const Start start_;
  const std::shared_ptr<Answer> answer_ = std::make_shared<Answer>();
};

// `timers` must outlive it. Destroyed before its time it does nothing more.
inline Task<void> sleep(runtime::Timers& timers, std::chrono::milliseconds delay) {
  const CallbackAwaiter<bool>::Start start = [&](std::function<void(bool)> done) {
    timers.after(delay, [done = std::move(done)] { done(true); });
  };
  CallbackAwaiter<bool> passed(start);
  co_await passed;
}

// Until the context has been cancelled, or its time is over.
inline Task<void> end_of(std::shared_ptr<Context> context) {
  const CallbackAwaiter<bool>::Start start = [&](std::function<void(bool)> done) {
    context->on_end([done = std::move(done)] { done(true); });
  };
  CallbackAwaiter<bool> ended(start);
  co_await ended;
}

// The end of a task of a Scope that nobody awaits: its fault ends the process, as one of net::spawn
// does. Whoever waits for what it does would wait for ever. `timers` must outlive the task.
inline auto ending_on_fault(runtime::Timers& timers) {
  return [&timers](const Status& outcome) {
    if (outcome.ok()) return;
    timers.after(std::chrono::milliseconds(0),
                 [outcome] { throw std::runtime_error(outcome.message()); });
  };
}

// Awaited once, it runs them all side by side, and goes on when the last one has ended; what one of
// them throws goes on then, too. Destroyed before, it destroys those that still run.
class WhenAll {
 public:
  explicit WhenAll(std::vector<Task<void>> tasks) : open_(tasks.size() + 1) {
    for (Task<void>& task : tasks) runs_.push_back(run(*this, std::move(task)));
  }
  WhenAll& operator=(WhenAll&&) = delete;
  ~WhenAll() {
    for (const auto run : runs_) run.destroy();
  }

  [[nodiscard]] bool await_ready() const noexcept { return runs_.empty(); }
  bool await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    for (const auto run : runs_) run.resume();
    return --open_ > 0;
  }
  void await_resume() const {
    if (fault_) std::rethrow_exception(fault_);
  }

 private:
  struct promise_type;
  using Run = std::coroutine_handle<promise_type>;
  struct Started {
    using promise_type = WhenAll::promise_type;
    Run handle;
    operator Run() const { return handle; }  // NOLINT: implicit on purpose
  };
  struct End {
    WhenAll& all;
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<>) const noexcept {
      if (--all.open_ > 0) return std::noop_coroutine();
      return all.waiting_;
    }
    void await_resume() const noexcept {}
  };
  struct promise_type {
    promise_type(WhenAll& owner, Task<void>&) : all(owner) {}
    Started get_return_object() { return {Run::from_promise(*this)}; }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    End final_suspend() const noexcept { return {all}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { all.fault_ = std::current_exception(); }
    WhenAll& all;
  };
  static Started run([[maybe_unused]] WhenAll& all, Task<void> task) { co_await std::move(task); }

  std::size_t open_;  // the start itself counts
  std::vector<Run> runs_;
  std::coroutine_handle<> waiting_;
  std::exception_ptr fault_;
};

// The results of tasks that run side by side, in their order.
template <typename T>
Task<std::vector<T>> all_of(std::vector<Task<T>> tasks) {
  constexpr auto keep = [](Task<T> task, T& result) -> Task<void> {
    result = co_await std::move(task);
  };
  std::vector<T> results(tasks.size());
  std::vector<Task<void>> kept;
  for (std::size_t index = 0; index < tasks.size(); ++index) {
    kept.push_back(keep(std::move(tasks[index]), results[index]));
  }
  WhenAll all(std::move(kept));
  co_await all;
  co_return results;
}

}  // namespace ccm::plugin

// ccm::Scope: keeps the coroutines that nobody awaits, so that destroying a component also frees
// what it had still running. [serial]
#pragma once

#include <ccm/task.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

namespace ccm {

class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope() { clear(); }

  // Starts `task` now; `ended(outcome)` is called when it is done, and must not throw. An
  // exception of a Task<void> reaches it as a Status, success as an ok one.
  template <typename T, typename Ended>
  void start(Task<T> task, Ended ended) {
    run(*this, std::move(task), std::move(ended));
  }

  // Destroys everything that still waits; the `ended` functions are not called, only destroyed.
  void clear() {
    while (first_ != nullptr) {
      std::coroutine_handle<Root::promise_type>::from_promise(*first_).destroy();
    }
  }
  [[nodiscard]] bool empty() const { return first_ == nullptr; }

 private:
  struct Root {
    struct promise_type {
      template <typename... Others>
      explicit promise_type(Scope& owner, Others&...) : scope(owner), next(owner.first_) {
        if (next != nullptr) next->previous = this;
        scope.first_ = this;
      }
      promise_type(const promise_type&) = delete;
      promise_type& operator=(const promise_type&) = delete;
      ~promise_type() {
        (previous != nullptr ? previous->next : scope.first_) = next;
        if (next != nullptr) next->previous = previous;
      }
      Root get_return_object() const noexcept { return {}; }
      std::suspend_never initial_suspend() const noexcept { return {}; }
      std::suspend_never final_suspend() const noexcept { return {}; }
      void return_void() const noexcept {}
      void unhandled_exception() const noexcept { std::terminate(); }  // `ended` threw

      Scope& scope;
      promise_type* previous = nullptr;
      promise_type* next;
    };
  };

  template <typename T, typename Ended>
  static Root run(Scope& scope, Task<T> task, Ended ended) {
    (void)scope;  // for the promise
    if constexpr (detail::StatusLike<T>) {
      T outcome = co_await std::move(task);
      ended(std::move(outcome));
    } else {
      static_assert(std::is_void_v<T>, "start a Task<void>, Task<Status> or Task<Result<T>>");
      Status outcome;
      try {
        co_await std::move(task);
      } catch (...) {
        outcome = detail::status_of_exception();
      }
      ended(std::move(outcome));
    }
  }

  Root::promise_type* first_ = nullptr;
};

}  // namespace ccm

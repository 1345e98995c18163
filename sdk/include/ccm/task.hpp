// ccm::Task<T>: a lazy coroutine for [serial] code. It starts when it is awaited, runs on the
// host's loop, and is resumed there by the host's completions, so none of it needs a lock.
//
// An exception that leaves a Task<Status> or a Task<Result<T>> becomes a Status with
// Code::internal; out of any other Task it goes on to whoever awaits it.
// Cancellation comes through the ccm::Ctx that is passed on: a cancelled service call completes
// with Code::cancelled or Code::deadline_exceeded.
//
// Compiler note: GCC 12 destroys some temporaries of a co_await expression twice. Inside one write
// no braced list and no lambda that captures; give them a name on the line before. And a lambda
// that is itself a coroutine must not capture.
#pragma once

#include <ccm/status.hpp>

#include <coroutine>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace ccm {

template <typename T = void>
class Task;

namespace detail {

template <typename T>
inline constexpr bool is_result = false;
template <typename T>
inline constexpr bool is_result<Result<T>> = true;
template <typename T>
concept StatusLike = std::is_same_v<T, Status> || is_result<T>;

template <typename T>
inline constexpr bool is_task = false;
template <typename T>
inline constexpr bool is_task<Task<T>> = true;

inline constexpr const char* kExceptionReason = "UnhandledException";

// The status for the exception that is being handled.
inline Status status_of_exception() noexcept {
  try {
    try {
      throw;
    } catch (const std::exception& error) {
      return Status(Code::internal, std::string("unhandled exception: ") + error.what())
          .with_reason(kExceptionReason);
    } catch (...) {
      return Status(Code::internal, "unhandled exception of an unknown type")
          .with_reason(kExceptionReason);
    }
  } catch (...) {
    return Status(Code::internal, {});  // not even memory for the text
  }
}

struct PromiseBase {
  std::coroutine_handle<> continuation = std::noop_coroutine();

  struct FinalAwaiter {
    bool await_ready() const noexcept { return false; }
    template <typename Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      return ended.promise().continuation;
    }
    void await_resume() const noexcept {}
  };

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
};

template <typename T>
struct Promise : PromiseBase {
  std::optional<T> value;
  std::exception_ptr error;

  Task<T> get_return_object() noexcept;
  template <typename U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  void unhandled_exception() noexcept {
    if constexpr (StatusLike<T>) {
      value.emplace(status_of_exception());
    } else {
      error = std::current_exception();
    }
  }
  T take() {
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
    return std::move(*value);
  }
};

template <>
struct Promise<void> : PromiseBase {
  std::exception_ptr error;

  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { error = std::current_exception(); }
  void take() {
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
  }
};

}  // namespace detail

// Owns its coroutine; destroying a task that waits destroys everything it awaits. Move only.
template <typename T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Value = T;

  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (coroutine_) coroutine_.destroy();
      coroutine_ = std::exchange(other.coroutine_, nullptr);
    }
    return *this;
  }
  ~Task() {
    if (coroutine_) coroutine_.destroy();
  }

  struct Awaiter {
    std::coroutine_handle<promise_type> coroutine;
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiting) const noexcept {
      coroutine.promise().continuation = waiting;
      return coroutine;
    }
    T await_resume() const { return coroutine.promise().take(); }
  };
  // A task can be awaited once.
  Awaiter operator co_await() && noexcept { return Awaiter{coroutine_}; }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
  std::coroutine_handle<promise_type> coroutine_;
};

namespace detail {

template <typename T>
Task<T> Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace detail
}  // namespace ccm

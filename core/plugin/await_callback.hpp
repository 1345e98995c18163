// Between callbacks and coroutines, asio's in both directions:
//   co_await await_callback<T>(start)            a callback resumes the coroutine
//   spawn_call<T>(executor, coroutine, callback)  the coroutine's Result ends in a callback
// and a ccm::Task, where there is no executor (docs/architecture.md, "Waiting"):
//   CallbackAwaiter<T> answer(start); co_await answer
#pragma once

#include "net/coroutines.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ccm::plugin {

// Calls `start(done)` and resumes with what `done` is called with, once. `done` must not be called
// inside `start`, and on the thread of the coroutine's executor.
template <typename T>
boost::asio::awaitable<T> await_callback(std::function<void(std::function<void(T)>)> start) {
  auto initiate = [](auto handler, std::function<void(std::function<void(T)>)> begin) {
    auto shared = std::make_shared<decltype(handler)>(std::move(handler));
    begin([shared](T value) { std::move (*shared)(std::move(value)); });
  };
  return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void(T)>(
      initiate, boost::asio::use_awaitable, std::move(start));
}

template <typename T>
boost::asio::awaitable<void> run_call(boost::asio::awaitable<Result<T>> call,
                                      std::function<void(Result<T>)> done) {
  std::optional<Result<T>> result;
  try {
    result.emplace(co_await std::move(call));
  } catch (const std::exception& error) {
    result.emplace(Status(Code::internal, std::string("unexpected failure: ") + error.what()));
  }
  done(std::move(*result));
}

// Starts `call` on `executor`; `done` is called there, never inside this function.
template <typename T>
void spawn_call(const boost::asio::any_io_executor& executor,
                boost::asio::awaitable<Result<T>> call, std::function<void(Result<T>)> done) {
  net::spawn(executor, run_call<T>(std::move(call), std::move(done)));
}

template <typename T>
class CallbackAwaiter {
 public:
  // Gets the callback, which is to be called once, inside `start` or later on the same thread. When
  // the coroutine is destroyed before that, the callback does nothing.
  using Start = std::function<void(std::function<void(T)>)>;

  explicit CallbackAwaiter(Start start) : start_(std::move(start)) {}
  CallbackAwaiter(const CallbackAwaiter&) = delete;
  CallbackAwaiter& operator=(const CallbackAwaiter&) = delete;

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

}  // namespace ccm::plugin

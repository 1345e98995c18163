// Between callbacks and coroutines, asio's in both directions:
//   co_await await_callback<T>(start)            a callback resumes the coroutine
//   spawn_call<T>(executor, coroutine, callback)  the coroutine's Result ends in a callback
//   co_await await_task(scope, task)              a ccm::Task, which runs in the scope meanwhile
// A ccm::Task waits for a callback by CallbackAwaiter (docs/architecture.md, "Waiting").
#pragma once

#include "net/coroutines.hpp"

#include <ccm/scope.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

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

// The task may end at once, and asio's coroutine must not be resumed inside the start.
template <typename T>
boost::asio::awaitable<T> await_task(Scope& scope, Task<T> task) {
  const auto executor = co_await boost::asio::this_coro::executor;
  std::function<void(std::function<void(T)>)> start = [&](std::function<void(T)> done) {
    scope.start(std::move(task), [executor, done = std::move(done)](T outcome) {
      auto deliver = [done, outcome = std::move(outcome)]() mutable { done(std::move(outcome)); };
      boost::asio::post(executor, std::move(deliver));
    });
  };
  co_return co_await await_callback<T>(std::move(start));
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

}  // namespace ccm::plugin

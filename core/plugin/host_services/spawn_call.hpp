// From a coroutine that ends with a Result to a callback.
#pragma once

#include "net/coroutines.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace ccm::plugin {

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

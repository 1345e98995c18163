// From a callback to a coroutine: co_await await_callback<T>(executor, start).
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>
#include <memory>
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

}  // namespace ccm::plugin

// Starts a coroutine that nobody waits for. Any thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

namespace ccm::net {

// Runs `work` on `executor`. An exception that leaves it is a bug: it leaves the executor's run(),
// too, and so ends the process.
inline void spawn(const boost::asio::any_io_executor& executor, boost::asio::awaitable<void> work) {
  boost::asio::co_spawn(executor, std::move(work), [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  });
}

}  // namespace ccm::net

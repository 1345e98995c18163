// A signal for which coroutines of one thread wait. Private to core/kube.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace ccm::kube {

class Signal {
 public:
  explicit Signal(boost::asio::any_io_executor executor)
      : timer_(executor, boost::asio::steady_timer::time_point::max()) {}

  // Wakes all waiters.
  void notify() { timer_.cancel(); }
  // Returns at notify(), or when the coroutine is cancelled. Check your condition before and after.
  boost::asio::awaitable<void> wait() {
    co_await timer_.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  }

 private:
  boost::asio::steady_timer timer_;
};

}  // namespace ccm::kube

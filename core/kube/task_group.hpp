// Coroutines that belong to one owner and end with it, and the signal for which they wait. Private
// to core/kube. One thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ccm::kube {

// Names the part of the program and the exception's text.
class UnexpectedFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class TaskGroup {
 public:
  TaskGroup() = default;  // its end does not cancel: the owner does, while it is whole
  TaskGroup& operator=(TaskGroup&&) = delete;

  // Starts a coroutine, which keeps alive what it needs. An exception out of it, other than its
  // cancellation, is a fault of this program, and without the coroutine the process would only seem
  // to work: so it leaves the loop's run() as UnexpectedFault. `what`: "the informer of v1/nodes".
  void spawn(const boost::asio::any_io_executor& executor, std::string what,
             boost::asio::awaitable<void> task);
  // Cancels all running coroutines. Safe after the loop is destroyed.
  void cancel();

 private:
  struct Running;
  static boost::asio::awaitable<void> present(std::shared_ptr<void> presence,
                                              boost::asio::awaitable<void> task);
  std::vector<std::shared_ptr<Running>> running_;
};

// A signal for which coroutines of one thread wait.
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

// Starts coroutines that nobody waits for, ends those whose result is no longer wanted, and keeps
// those that wait for one thing in order.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <chrono>
#include <exception>
#include <list>
#include <optional>
#include <stop_token>
#include <utility>

namespace ccm::net {

// Runs `work` on `executor`; nobody waits for it. Any thread. An exception that leaves it is a bug:
// it leaves the executor's run(), too, and so ends the process.
inline void spawn(const boost::asio::any_io_executor& executor, boost::asio::awaitable<void> work) {
  boost::asio::co_spawn(executor, std::move(work), [](const std::exception_ptr& fault) {
    if (fault) std::rethrow_exception(fault);
  });
}

// A while, or until the coroutine is cancelled. The executor's thread.
inline boost::asio::awaitable<void> pause(boost::asio::any_io_executor executor,
                                          std::chrono::nanoseconds delay) {
  boost::asio::steady_timer timer(executor, delay);
  co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
}

template <typename T>
boost::asio::awaitable<void> store_result_of(boost::asio::awaitable<T> task,
                                             std::optional<T>* result) {
  result->emplace(co_await std::move(task));
}

// The result of `task`, which is cancelled as soon as `stop` is requested, on the thread of the
// coroutine's executor. Throws boost::system::system_error when the task left no result because of
// that. A token that can never stop costs nothing; with any other one, the cancellation of the
// awaiting coroutine does not reach the task.
template <typename T>
boost::asio::awaitable<T> until_stopped(boost::asio::awaitable<T> task, std::stop_token stop) {
  namespace asio = boost::asio;
  if (!stop.stop_possible()) co_return co_await std::move(task);
  std::optional<T> result;
  if (!stop.stop_requested()) {
    asio::cancellation_signal cancel;
    const std::stop_callback on_stop(stop,
                                     [&cancel] { cancel.emit(asio::cancellation_type::terminal); });
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    co_await asio::co_spawn(executor, store_result_of(std::move(task), &result),
                            asio::bind_cancellation_slot(cancel.slot(), asio::use_awaitable));
  }
  if (!result) throw boost::system::system_error(asio::error::operation_aborted);
  co_return *std::move(result);
}

// A coroutine that waits in a queue, for as long as this lives in its frame: however it ends, the
// queue stays consistent. One thread.
class Waiter {
 public:
  using Queue = std::list<Waiter*>;  // longest waiting first

  Waiter(Queue& queue, const boost::asio::any_io_executor& executor)
      : wake(executor, boost::asio::steady_timer::time_point::max()),
        queue_(queue),
        position_(queue.insert(queue.end(), this)) {}
  ~Waiter() {
    if (!granted_) queue_.erase(position_);
  }
  Waiter& operator=(Waiter&&) = delete;

  // Gives the first one of a queue that is not empty what it waits for.
  static void grant_first(Queue& queue) {
    Waiter* const first = queue.front();
    queue.pop_front();
    first->granted_ = true;
    first->wake.cancel();
  }
  [[nodiscard]] bool granted() const { return granted_; }

  boost::asio::steady_timer wake;  // to be awaited; ends at the grant, or at a time that was set

 private:
  Queue& queue_;
  Queue::iterator position_;
  bool granted_ = false;
};

}  // namespace ccm::net

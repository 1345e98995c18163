// Coroutines that belong to one owner and end with it. Private to core/kube. One thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>
#include <vector>

namespace ccm::kube {

class TaskGroup {
 public:
  TaskGroup();
  ~TaskGroup();  // does not cancel: the owner does, while it is whole
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // Starts a coroutine that keeps what it needs alive. Exceptions out of it are taken for a
  // cancellation.
  void spawn(boost::asio::any_io_executor executor, boost::asio::awaitable<void> task);
  // Cancels all that still run. Safe after the loop is gone.
  void cancel();

 private:
  struct Running;
  class Presence;
  static boost::asio::awaitable<void> present(std::unique_ptr<Presence> presence,
                                              boost::asio::awaitable<void> task);
  std::vector<std::shared_ptr<Running>> running_;
};

}  // namespace ccm::kube

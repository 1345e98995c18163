#include "kube/task_group.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <exception>
#include <utility>

namespace ccm::kube {
namespace asio = boost::asio;

// A coroutine: how to cancel it while it exists.
struct TaskGroup::Running {
  asio::cancellation_signal cancel;
  bool alive = true;
};

asio::awaitable<void> TaskGroup::present(std::shared_ptr<void> presence,
                                         asio::awaitable<void> task) {
  co_await std::move(task);
  presence.reset();
}

namespace {

// Rethrows exceptions other than a cancellation.
void look_at(const std::exception_ptr& fault, const std::string& what) {
  if (!fault) return;
  try {
    std::rethrow_exception(fault);
  } catch (const std::exception& error) {
    const auto* const system = dynamic_cast<const boost::system::system_error*>(&error);
    if (system != nullptr && system->code() == asio::error::operation_aborted) return;
    throw UnexpectedFault(what + " ended by an unexpected fault: " + error.what());
  }
}

}  // namespace

void TaskGroup::spawn(const asio::any_io_executor& executor, std::string what,
                      asio::awaitable<void> task) {
  std::erase_if(running_, [](const auto& entry) { return !entry->alive; });
  auto entry = std::make_shared<Running>();
  running_.push_back(entry);
  // Lies in the coroutine's frame and reports the end of that frame, even if it never ran; the
  // signal must not be used afterwards, since the loop may be destroyed too.
  std::shared_ptr<void> presence(nullptr, [entry](void*) { entry->alive = false; });
  asio::co_spawn(
      executor, present(std::move(presence), std::move(task)),
      asio::bind_cancellation_slot(
          entry->cancel.slot(),
          [entry, what = std::move(what)](std::exception_ptr fault) { look_at(fault, what); }));
}

void TaskGroup::cancel() {
  const auto running = running_;
  for (const auto& entry : running) {
    if (entry->alive) entry->cancel.emit(asio::cancellation_type::terminal);
  }
}

}  // namespace ccm::kube

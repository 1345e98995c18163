// ccm::Operation: one call to the host that completes later. A coroutine awaits it; blocking code
// on a [worker] thread calls wait().
#pragma once

#include <ccm/ctx.hpp>
#include <ccm/service.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <condition_variable>
#include <coroutine>
#include <mutex>
#include <optional>
#include <utility>

namespace ccm {
namespace detail {

// Whether this thread may be made to wait: inside an operation of a blocking plugin, or inside
// Worker::run. On the loop a wait would stop the very thread that should end it.
inline thread_local int blocking_depth = 0;

class BlockingSection {
 public:
  explicit BlockingSection(bool may_block) : added_(may_block ? 1 : 0) { blocking_depth += added_; }
  ~BlockingSection() { blocking_depth -= added_; }
  BlockingSection(const BlockingSection&) = delete;
  BlockingSection& operator=(const BlockingSection&) = delete;

 private:
  int added_;
};

// Calls `function`, which is called `name`, of the interface `id` with a request. A failure says
// that this host does not have it, and `done` is not called.
template <typename Table, typename Function, typename Request>
Status begin_call(const Service<Table>& host, Function Table::*function, const char* id,
                  const char* name, const Ctx& ctx, const Request& request, ccm_completion done) {
  const auto fn = host.get(function);
  if (fn == nullptr) return missing(id, name);
  fn(host.self(), ctx.get(), &request, done);
  return {};
}

}  // namespace detail

// `Call` has a type Output (a Status or a Result), `Status start(ccm_completion)`, whose failure is
// the operation's outcome, and `Output decode(Status, const void* result)`.
template <typename Call>
class [[nodiscard]] Operation {
 public:
  using Output = typename Call::Output;

  explicit Operation(Call call) : call_(std::move(call)) {}
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  // For co_await, once. [serial]
  bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> waiting) {
    waiting_ = waiting;
    Status refused = call_.start(ccm_completion{&Operation::resume, this, 0});
    if (refused.ok()) return true;
    output_.emplace(std::move(refused));
    return false;
  }
  Output await_resume() { return std::move(*output_); }

  // Blocks until the outcome is there; the host bounds the time by the ctx's deadline. Fails with
  // Code::failed_precondition on a thread that must not wait. [worker]
  Output wait() {
    if (detail::blocking_depth == 0) {
      return Status(Code::failed_precondition,
                    "a blocking call on the host's loop; await it, or set \"nonblocking\": false "
                    "in the manifest");
    }
    Status refused = call_.start(ccm_completion{&Operation::wake, this, 0});
    if (!refused.ok()) return refused;
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return output_.has_value(); });
    return std::move(*output_);
  }

 private:
  static void resume(void* owner, uint64_t, const ccm_status* status, const void* result) noexcept {
    auto& self = *static_cast<Operation*>(owner);
    self.keep(status, result);
    self.waiting_.resume();
  }

  // Notifies under the lock: the waiting thread destroys this object as soon as it has the lock.
  static void wake(void* owner, uint64_t, const ccm_status* status, const void* result) noexcept {
    auto& self = *static_cast<Operation*>(owner);
    const std::lock_guard lock(self.mutex_);
    self.keep(status, result);
    self.arrived_.notify_one();
  }

  void keep(const ccm_status* status, const void* result) noexcept {
    try {
      output_.emplace(call_.decode(Status::from_c(status), result));
    } catch (...) {
      output_.emplace(detail::status_of_exception());
    }
  }

  Call call_;
  std::coroutine_handle<> waiting_;
  std::optional<Output> output_;
  std::mutex mutex_;
  std::condition_variable arrived_;
};

}  // namespace ccm

// Shared by the adapters of providers and controllers: a completion that is called exactly once,
// and the barrier that no exception passes.
#pragma once

#include <ccm/abi/plugin.h>
#include <ccm/host.hpp>
#include <ccm/operation.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace ccm::detail {

// Ends one operation of the component, once. One that is dropped on the way ends as cancelled:
// that happens when the component is destroyed while it waits.
class Completion {
 public:
  explicit Completion(ccm_completion done) : done_(done) {}
  Completion(Completion&& other) noexcept : done_(std::exchange(other.done_, ccm_completion{})) {}
  Completion& operator=(Completion&&) = delete;
  ~Completion() {
    if (done_.fn != nullptr) {
      const ccm_status status{sizeof(status),      CCM_CODE_CANCELLED, CCM_CLASS_NONE, 0, 0,
                              ccm_str{nullptr, 0}, ccm_str{nullptr, 0}};
      done_.fn(done_.owner, done_.operation, &status, nullptr);
    }
  }

  void succeed(const void* result) noexcept { end(Status(), result); }
  void fail(const Status& status) noexcept { end(status, nullptr); }

 private:
  void end(const Status& status, const void* result) noexcept {
    const ccm_completion done = std::exchange(done_, ccm_completion{});
    if (done.fn == nullptr) return;
    const ccm_status raw = status.to_c();
    done.fn(done.owner, done.operation, &raw, result);
  }

  ccm_completion done_;
};

// The result type of a component's operation: T out of a T or a Task<T>.
template <typename Returned>
struct Outcome {
  using Type = Returned;
};
template <typename T>
struct Outcome<Task<T>> {
  using Type = T;
};

// For an operation without a result.
struct NoResult {
  template <typename Value>
  void operator()(const Value&, Completion& completion) const {
    completion.succeed(nullptr);
  }
};

// Runs one operation of a component. `call()` gives the method's value or task; `succeed(value,
// completion)` renders a success. Every exception becomes Code::internal and a line in the log.
template <typename Call, typename Succeed>
void operate(Host& host, const char* name, ccm_completion done, Call call,
             Succeed succeed) noexcept {
  using Returned = std::invoke_result_t<Call&>;
  using Value = typename Outcome<Returned>::Type;
  static_assert(StatusLike<Value>,
                "a component's method returns a Status, a Result, or a Task of one of them");
  Completion completion(done);
  // `succeed` is not used for a Status, of which Clang warns.
  const auto finish = [&host, name, succeed](Completion& finished, Value outcome) noexcept {
    static_cast<void>(succeed);
    Status status;
    try {
      if constexpr (std::is_same_v<Value, Status>) {
        status = std::move(outcome);
        if (status.ok()) return finished.succeed(nullptr);
      } else {
        if (outcome.ok()) return succeed(*outcome, finished);
        status = outcome.status();
      }
    } catch (...) {
      status = status_of_exception();
    }
    if (status.reason() == kExceptionReason) {
      host.log.error("an operation threw", {{"operation", name}, {"error", status}});
    }
    finished.fail(status);
  };
  try {
    if constexpr (is_task<Returned>) {
      Returned task = call();
      auto ended = [finish, completion = std::move(completion)](Value outcome) mutable {
        finish(completion, std::move(outcome));
      };
      host.scope().start(std::move(task), std::move(ended));
    } else {
      const BlockingSection section(!host.nonblocking());
      finish(completion, call());
    }
  } catch (...) {
    finish(completion, Value(status_of_exception()));
  }
}

}  // namespace ccm::detail

// Shared by the adapters of providers and controllers: requests that are checked, a completion
// that is called exactly once, and the barrier that no exception passes.
#pragma once

#include <ccm/abi/plugin.h>
#include <ccm/detail/c_arrays.hpp>
#include <ccm/detail/operation.hpp>
#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <concepts>
#include <string>
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
    if (done_.fn == nullptr) return;
    ccm_status status = sized<ccm_status>();
    status.code = CCM_CODE_CANCELLED;
    done_.fn(done_.owner, done_.operation, &status, nullptr);
  }

  void succeed(const void* result) noexcept { end(Status(), result); }
  void fail(const Status& status) noexcept { end(status, nullptr); }
  void end(const Status& status, const void* result) noexcept {
    const ccm_completion done = std::exchange(done_, ccm_completion{});
    if (done.fn == nullptr) return;
    const ccm_status raw = status.to_c();
    done.fn(done.owner, done.operation, &raw, result);
  }

 private:
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

// Ends an operation with the C form of its value.
struct Pass {
  Completion& completion;
  const Status& status;
  void operator()(const void* result) const { completion.end(status, result); }
};

// `give(value, pass)` of an operation renders its value in C and calls `pass(result)`. This one is
// for an operation without a result.
struct NoResult {
  template <typename Value>
  void operator()(const Value&, const Pass& pass) const {
    pass(nullptr);
  }
};

// Whether what a failure carries (Result::partial) is handed over; the header of the operation
// says.
enum class Partial { ignored, given };

// Runs one operation of a component. `call()` gives the method's value or task. Every exception
// becomes Code::internal and a line in the log.
template <Partial Carried = Partial::ignored, typename Call, typename Give>
void operate(Host& host, const char* name, ccm_completion done, Call call, Give give) noexcept {
  using Returned = std::invoke_result_t<Call&>;
  using Value = typename Outcome<Returned>::Type;
  static_assert(StatusLike<Value>,
                "a component's method returns a Status, a Result, or a Task of one of them");
  Completion completion(done);
  // `give` is not used for a Status, of which Clang warns.
  const auto finish = [&host, name, give](Completion& finished, Value outcome) noexcept {
    static_cast<void>(give);
    Status status;
    try {
      if constexpr (std::is_same_v<Value, Status>) {
        status = std::move(outcome);
        if (status.ok()) return finished.succeed(nullptr);
      } else {
        status = outcome.status();
        const auto* value = outcome.ok() ? &*outcome : nullptr;
        if (Carried == Partial::given && !outcome.ok()) value = outcome.partial();
        if (value != nullptr) return give(*value, Pass{finished, status});
      }
    } catch (...) {
      status = status_of_exception();
    }
    if (status.reason() == kExceptionReason) {
      host.log.error("An operation threw", {{"operation", name}, {"err", status}});
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

// Code::unimplemented when the request has something that this plugin does not know.
template <typename Request>
Status check_request(const char* name, const Request* request) {
  if (request == nullptr) {
    return Status(Code::invalid_argument, std::string(name) + " was called without a request");
  }
  if (understood(*request)) return {};
  return Status(Code::unimplemented, ErrorClass::unsupported,
                std::string("the request of ") + name + " has parts that this plugin does not know")
      .with_reason(CCM_REASON_UNKNOWN_REQUEST);
}

// Checks the request, then operate(): `call(known)` gets what this side knows of the request.
template <Partial Carried = Partial::ignored, typename Request, typename Call, typename Give>
void operate_on(Host& host, const char* name, const Request* request, ccm_completion done,
                Call call, Give give) noexcept {
  try {
    const Status checked = check_request(name, request);
    if (!checked.ok()) return Completion(done).fail(checked);
  } catch (...) {
    return Completion(done).fail(status_of_exception());
  }
  const Request whole = known(request);
  operate<Carried>(
      host, name, done, [&] { return call(whole); }, give);
}

}  // namespace ccm::detail

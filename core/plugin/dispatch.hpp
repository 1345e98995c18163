// How an operation of a component is called, and what its completion is turned into: the typed half
// of completion_table.hpp.
#pragma once

#include "plugin/completion_table.hpp"

#include <ccm/abi/ctx.h>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <functional>
#include <optional>
#include <utility>

namespace ccm::plugin {

// The result of operations without a result.
struct Nothing {};

// Starts one operation: calls the component's function with these two and its own arguments, which
// it owns. On the loop for a non-blocking component, else on a worker.
using Invoke = std::function<void(ccm_ctx ctx, ccm_completion done)>;

// A call whose request says nothing.
template <typename Request>
Invoke invoke_plain(void (*function)(void*, ccm_ctx, const Request*, ccm_completion), void* self) {
  return [function, self](ccm_ctx ctx, ccm_completion done) {
    const auto request = sized<Request>();
    function(self, ctx, &request, done);
  };
}

// Turns the RESULT of a completion into a value; runs on the component's thread.
template <typename T>
using Copy = std::function<Result<T>(const void* result)>;

// Operations that may hand over a result with a failure, too.
template <typename T>
inline constexpr bool kResultWithFailure = false;

inline Result<Nothing> copy_nothing(const void*) { return Nothing{}; }

// Reads a status that came from outside, however much of it there is: one without a code is the
// component's fault; unknown codes and classes say nothing, and texts are made UTF-8. NULL means
// ok.
Status checked_status(const ccm_status* status);

template <typename T>
class TypedOperation final : public PendingOperation {
 public:
  using Done = std::function<void(Result<T>)>;
  TypedOperation(Copy<T> copy, Done done) : copy_(std::move(copy)), done_(std::move(done)) {}

  void copy(const ccm_status* status, const void* result) override {
    Status ended = checked_status(status);
    if (ended.ok()) {
      outcome_ = copy_(result);
      return;
    }
    if constexpr (kResultWithFailure<T>) {
      if (result != nullptr) {
        if (Result<T> so_far = copy_(result)) {
          outcome_ = Result<T>(std::move(ended), *std::move(so_far));
          return;
        }
      }
    }
    outcome_ = Result<T>(std::move(ended));
  }
  void fail(Status status) override { outcome_ = Result<T>(std::move(status)); }
  void deliver() override {
    if (outcome_) std::exchange(done_, nullptr)(std::move(*outcome_));
  }

 private:
  Copy<T> copy_;
  Done done_;
  std::optional<Result<T>> outcome_;
};

}  // namespace ccm::plugin

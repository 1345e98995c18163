// How an operation of a component is called, and what its completion is turned into.
#pragma once

#include "plugin/known_secrets.hpp"
#include "runtime/event_loop.hpp"

#include <ccm/abi/ctx.h>
#include <ccm/abi/status.h>
#include <ccm/sized.hpp>
#include <ccm/status.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace ccm::plugin {

// The operations of components that have not completed yet. A component may complete late, twice or
// never, from any thread: an operation's number carries a generation, so a completion that fits no
// pending operation is counted and dropped, and touches no memory.

// One operation from the host's side.
class PendingOperation {
 public:
  virtual ~PendingOperation() = default;
  // Copies the component's values, on its thread, before its call returns.
  virtual void copy(const ccm_status* status, const void* result) = 0;
  // The host itself ends the operation. Called instead of copy().
  virtual void fail(Status status) = 0;
  // Delivers the outcome. On the loop, after copy() or fail().
  virtual void deliver() = 0;
};

// The number of a component's operations in flight, abandoned ones included. Loop thread.
class OperationCounter {
 public:
  // Keeps `what` until every operation that has begun so far has ended.
  void keep_for_running(std::shared_ptr<void> what) {
    auto next = std::make_shared<Epoch>();
    epoch_->kept = std::move(what);
    epoch_->next = next;
    epoch_ = std::move(next);
  }
  // Each operation holds the epoch in which it began.
  [[nodiscard]] std::shared_ptr<void> epoch() const { return epoch_; }

  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  void began() { ++in_flight_; }
  void ended() {
    --in_flight_;
    if (in_flight_ == 0 && on_idle_) on_idle_();
  }
  void on_idle(std::function<void()> fn) { on_idle_ = std::move(fn); }

 private:
  // Freed when its operations and all earlier ones have ended.
  struct Epoch {
    std::shared_ptr<void> kept;
    std::shared_ptr<Epoch> next;
  };
  std::shared_ptr<Epoch> epoch_ = std::make_shared<Epoch>();
  std::size_t in_flight_ = 0;
  std::function<void()> on_idle_;
};

struct CompletionFaults {
  uint64_t late = 0;     // after the host had given up on the operation
  uint64_t unknown = 0;  // completed already, or never begun
};

class CompletionTable {
 public:
  // Called for each dropped completion, on the thread where it came in. May be empty.
  using OnFault = std::function<void(const char* kind)>;

  // `loop` must outlive it. It must itself outlive every component that holds a completion.
  explicit CompletionTable(runtime::EventLoop& loop, OnFault on_fault = {});
  CompletionTable& operator=(CompletionTable&&) = delete;

  // Begins an operation. `keep` stays alive until the component has completed it. Loop thread.
  ccm_completion begin(std::unique_ptr<PendingOperation> operation, std::shared_ptr<void> keep,
                       std::shared_ptr<OperationCounter> counter);

  // Ends an operation from the host's side because it will never be completed: it was not even
  // started. Any thread. No effect when it has ended already.
  void fail(uint64_t operation, Status status);

  // Its caller no longer waits: delivers `status` (posted) while the operation stays in flight
  // until the component completes it. False when it has ended already. Loop thread.
  bool give_up(uint64_t operation, Status status);

  // From now on dropped completions are not reported: for a table that outlives the host, because a
  // faulty plugin may still hold its address.
  void detach();

  [[nodiscard]] std::size_t in_flight() const;
  [[nodiscard]] CompletionFaults faults() const { return {late_, unknown_}; }

 private:
  enum class State : uint8_t { free, pending, given_up };
  struct Entry {
    State state = State::free;  // free: no such operation
    std::unique_ptr<PendingOperation> operation;
    std::shared_ptr<void> keep;
    std::shared_ptr<OperationCounter> counter;
  };
  struct Slot {
    uint32_t generation = 1;
    Entry entry;
  };

  static void complete(void* owner, uint64_t operation, const ccm_status* status,
                       const void* result) noexcept;
  Slot* find(uint64_t operation);  // null: no such operation; under the lock
  Entry take(uint64_t operation);
  void post_delivery(Entry taken);
  void fault(std::atomic<uint64_t>& count, const char* kind);

  runtime::EventLoop& loop_;
  std::mutex fault_mutex_;
  OnFault on_fault_;
  mutable std::mutex mutex_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_;
  std::size_t in_flight_ = 0;
  std::atomic<uint64_t> late_{0};
  std::atomic<uint64_t> unknown_{0};
};

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

// Takes the credentials of plugins out of a result that has texts for people.
template <typename T>
void redact(const KnownSecrets&, T&) {}
inline void redact(const KnownSecrets& secrets, std::vector<Status>& statuses) {
  for (Status& status : statuses) {
    if (!status.ok()) status = secrets.without(status);
  }
}

template <typename T>
class TypedOperation final : public PendingOperation {
 public:
  using Done = std::function<void(Result<T>)>;
  TypedOperation(Copy<T> copy, std::shared_ptr<const KnownSecrets> secrets, Done done)
      : copy_(std::move(copy)), secrets_(std::move(secrets)), done_(std::move(done)) {}

  void copy(const ccm_status* status, const void* result) override {
    Status ended = checked_status(status);
    if (ended.ok()) {
      outcome_ = copy_(result);
      if (outcome_->ok()) redact(*secrets_, **outcome_);
      return;
    }
    ended = secrets_->without(ended);
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
  const std::shared_ptr<const KnownSecrets> secrets_;
  Done done_;
  std::optional<Result<T>> outcome_;
};

}  // namespace ccm::plugin

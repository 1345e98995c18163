// One operation at a time for each key (docs/decisions/0010). The namespaces that wait for a key
// take turns, and within one it is first come first served. A lock lasts until the component has
// completed its operation, also when nobody waits for that any more. A request for an abandoned
// lock fails at once, so that no worker waits for it; after a grace period the lock is taken away,
// and then the outcome is unknown: the operation may be done, half done, or happen yet. Loop
// thread.
#pragma once

#include "plugin/context.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace ccm::cloud {

class KeyLocks {
  struct State;
  struct Held;

 public:
  // The owner works; the next one begins when it and all that it has shared are gone. Move only.
  class [[nodiscard]] Lock {
   public:
    Lock(Lock&&) = default;
    // While the component still has what was shared, the lock is abandoned.
    ~Lock();
    // For the component, which keeps it until it has completed the operation that begins now.
    [[nodiscard]] std::shared_ptr<void> share() {
      shared_ = true;
      return held_;
    }
    // The host's wait for that operation ended so. At a deadline or a cancellation the component
    // may still run it; after any other status it has completed it.
    void ended(const Status& status) {
      shared_ = status.code() == Code::deadline_exceeded || status.code() == Code::cancelled;
    }

   private:
    friend State;
    explicit Lock(std::shared_ptr<Held> held) : held_(std::move(held)) {}
    std::shared_ptr<Held> held_;
    bool shared_ = false;
  };

  // `loop` and `timers` must outlive it. `what`: "load balancer operation", for logs.
  KeyLocks(runtime::EventLoop& loop, runtime::Timers& timers, std::string what);
  KeyLocks& operator=(KeyLocks&&) = delete;

  // The lock, as soon as no other one of `key` is held; unavailable/waiting "OperationNotCompleted"
  // when the current one is abandoned; or how `context` ended before that, told when it
  // would get the lock or when the next one asks.
  Task<Result<Lock>> take(std::string key, std::shared_ptr<plugin::Context> context);

  // So many locks at once, of all keys together; 0 = any number. While all are taken the namespaces
  // of the contexts' origins take turns.
  void set_parallel(int64_t most);

  // Above 0 since a lock of the key was taken away, or its operation completed after that; a
  // different number for each of these.
  [[nodiscard]] uint64_t outcome_unknown(const std::string& key) const;
  // An observation that began when outcome_unknown() was `seen` has shown the current state.
  void confirm(const std::string& key, uint64_t seen);
  // Operations of the key that are running without their lock.
  [[nodiscard]] std::size_t abandoned(const std::string& key) const;
  // Called when one of them completes after all; posted by its component, so never inside a call.
  void on_late(std::function<void(const std::string& key)> fn);

 private:
  std::shared_ptr<State> state_;
};

}  // namespace ccm::cloud

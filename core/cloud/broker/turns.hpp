// One operation at a time for each key, first come first served (docs/decisions/0010). A turn lasts
// until the component has completed its operation, also when nobody waits for that any more. A
// request for an abandoned turn fails at once, so that no worker waits for it; after a grace period
// the turn is taken away, and then the key is in doubt: the operation may be done, half done, or
// happen yet. Loop thread.
#pragma once

#include "plugin/context.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ccm::plugin {

struct TurnOptions {
  // From the moment when an operation is abandoned until its turn is taken away.
  std::chrono::milliseconds grace{300'000};
  // The number of operations that may run on without their turn. Beyond it each turn is kept: a
  // component that completes nothing must not fill the memory.
  std::size_t most_abandoned = 100;
};

class Turns {
 public:
  // The owner of `held` works; the next one begins when it is destroyed.
  struct Turn {
    uint64_t number = 0;
    std::shared_ptr<void> held;
  };
  using Start = std::function<void(Turn)>;
  using Refuse = std::function<void(Status)>;

  // `loop` and `timers` must outlive it. `what`: "load balancer operation", for logs.
  Turns(runtime::EventLoop& loop, runtime::Timers& timers, TurnOptions options, std::string what);
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Calls `start` when no turn of `key` is held any more, maybe inside this call; or `refuse` with
  // unavailable/waiting "OperationNotCompleted" when the current turn is abandoned, maybe inside
  // this call; neither when `context` ended before that.
  void take(const std::string& key, std::shared_ptr<Context> context, Start start, Refuse refuse);

  // So many turns at once, of all keys together; 0 = any number.
  void set_parallel(int64_t most);

  // The operation of that turn is no longer waited for. No effect when it completes soon.
  void given_up(const std::string& key, uint64_t number);

  // Above 0 since a turn of the key was taken away, or its operation completed after that; a
  // different number for each of these.
  [[nodiscard]] uint64_t doubt(const std::string& key) const;
  // An observation that began when doubt() was `seen` has shown the current state.
  void settle(const std::string& key, uint64_t seen);
  // Operations of the key that are running without their turn.
  [[nodiscard]] std::size_t abandoned(const std::string& key) const;
  // Called when one of them completes after all; posted by its component, so never inside a call.
  void on_late(std::function<void(const std::string& key)> fn);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace ccm::plugin

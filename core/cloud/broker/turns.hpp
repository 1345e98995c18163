// One operation at a time for each key (docs/decisions/0010). The namespaces that wait for a key
// take turns, and within one it is first come first served. A turn lasts until the component has
// completed its operation, also when nobody waits for that any more. A request for an abandoned
// turn fails at once, so that no worker waits for it; after a grace period the turn is taken away,
// and then the key is in doubt: the operation may be done, half done, or happen yet. Loop thread.
#pragma once

#include "plugin/context.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/timers.hpp"

#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace ccm::plugin {

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
  Turns(runtime::EventLoop& loop, runtime::Timers& timers, std::string what);
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  // Calls `start` when no turn of `key` is held any more, maybe inside this call; or `refuse` with
  // unavailable/waiting "OperationNotCompleted" when the current turn is abandoned, maybe inside
  // this call; neither when `context` ended before that.
  void take(const std::string& key, std::shared_ptr<Context> context, Start start, Refuse refuse);

  // So many turns at once, of all keys together; 0 = any number. While all are taken the namespaces
  // of the contexts' origins take turns.
  void set_parallel(int64_t most);

  // The host's wait for the operation of that turn ended so. At a deadline or a cancellation the
  // component may still run it; no effect when it completes soon, and with any other status.
  void ended(const std::string& key, uint64_t number, const Status& status);

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

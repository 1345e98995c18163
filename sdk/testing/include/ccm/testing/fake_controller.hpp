// Drives one controller as the host's runner does: informer events become keys, keys wait in a
// queue with two priorities and per-key back-off, several are reconciled at once.
#pragma once

#include <ccm/controller.hpp>
#include <ccm/testing/fake_component.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ccm::testing {

// One reconcile that ended.
struct Reconciled {
  std::string key;
  Priority priority = Priority::changed;
  uint32_t attempt = 0;
  Status status;
  std::chrono::milliseconds requeue_after{0};
};

class FakeController {
 public:
  FakeController(FakeHost& host, const ccm_plugin* plugin, const std::string& component);
  // One of the components of a plugin that share something; the plugin must outlive it.
  FakeController(FakePlugin& plugin, const std::string& component);
  ~FakeController();
  FakeController(const FakeController&) = delete;
  FakeController& operator=(const FakeController&) = delete;

  // Calls the component's setup and connects its watches to the fake cache.
  Status setup();
  // Reconciles until no key is due. The clock moves only as far as running reconciles need it.
  void run();
  // Moves the clock on, then run(): for back-off, requeues and `every`.
  void advance(std::chrono::milliseconds by);

  // Starts one reconcile and leaves it to the test.
  Pending<Result<ReconcileResult>> start_reconcile(const Ctx& ctx, Request request);

  // The reconciles that ended since the last call.
  std::vector<Reconciled> take_reconciled();
  // Keys that wait now, due or not.
  [[nodiscard]] std::vector<std::string> waiting() const;
  // The largest number of keys that were reconciled at the same time.
  [[nodiscard]] std::size_t most_at_once() const;
  [[nodiscard]] uint32_t workers() const;
  // Declared watches.
  [[nodiscard]] const std::vector<Watch>& watches() const;
  // Puts a key into the queue as an event would.
  void add(const std::string& key, Priority priority = Priority::changed);
  // The controller's stop, as before it is destroyed; ok when it has none.
  Status stop();

 private:
  struct State;
  std::shared_ptr<State> state_;  // what `component` asks the host for

 public:
  FakeComponent component;
};

}  // namespace ccm::testing

// A loop, a clock that the test turns, and a plugin made of function objects: enough to run one
// component without dlopen.
#pragma once

#include "../../support/eventually.hpp"
#include "../runtime/manual_timers.hpp"
#include "plugin/dispatch.hpp"
#include "plugin/host_services/host_service.hpp"
#include "plugin/live_component.hpp"
#include "runtime/event_loop.hpp"
#include "runtime/watchdog.hpp"
#include "runtime/worker_pool.hpp"

#include <ccm/abi/plugin.h>
#include <ccm/sized.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::plugin {

using namespace std::chrono_literals;

// The plugin: what a C author would write as static functions, with the parts that a test wants to
// change as function objects.
struct TestPlugin {
  std::function<void(const ccm_host*, ccm_completion)> on_create;
  std::function<void()> on_destroy;
  std::map<std::string, const void*> tables;  // id -> table; `self` is this object
  const ccm_host* host = nullptr;
  int destroyed = 0;
  ccm_plugin plugin = sized<ccm_plugin>();

  TestPlugin() {
    plugin.create = &TestPlugin::create;
    current() = this;
  }
  ~TestPlugin() { current() = nullptr; }

  // `create` has no self: one test plugin at a time.
  static TestPlugin*& current() {
    static TestPlugin* plugin = nullptr;
    return plugin;
  }

  static void create(void*, ccm_ctx, const ccm_create_request* request, ccm_completion done) {
    TestPlugin& self = *current();
    self.host = request->host;
    if (self.on_create) return self.on_create(request->host, done);
    self.complete_create(done);
  }
  void complete_create(ccm_completion done) {
    auto component = sized<ccm_component>();
    component.self = this;
    component.get_interface = &get_interface;
    component.destroy = &destroy;
    const auto ok = sized<ccm_status>();
    done.fn(done.owner, done.operation, &ok, &component);
  }
  static ccm_bool get_interface(void* self, const char* id, ccm_interface* out) {
    auto& plugin = *static_cast<TestPlugin*>(self);
    const auto found = plugin.tables.find(id);
    if (found == plugin.tables.end()) return 0;
    *out = {self, found->second};
    return 1;
  }
  static void destroy(void* self) {
    auto& plugin = *static_cast<TestPlugin*>(self);
    ++plugin.destroyed;
    if (plugin.on_destroy) plugin.on_destroy();
  }

  template <typename Table>
  ccm_interface service(const char* id, const Table** table) const {
    ccm_interface found{nullptr, nullptr};
    EXPECT_TRUE(host->get_interface(host->self, id, &found)) << id;
    *table = static_cast<const Table*>(found.table);
    return found;
  }
};

// A callback that counts how often it was called and dropped.
struct Counted {
  int calls = 0;
  int drops = 0;
  ccm_callback callback() {
    return {[](void* owner) { ++static_cast<Counted*>(owner)->calls; },
            [](void* owner) { ++static_cast<Counted*>(owner)->drops; }, this};
  }
};

inline void complete(ccm_completion done, Status status = {}, const void* result = nullptr) {
  const ccm_status c_status = status.to_c();
  done.fn(done.owner, done.operation, &c_status, result);
}

// Catches a completion that the host sends to the plugin.
struct Caught {
  std::optional<Status> status;
  int calls = 0;
  std::function<void(const void* result)> on_result;
  ccm_completion completion() { return {&Caught::done, this, 7}; }
  static void done(void* owner, uint64_t operation, const ccm_status* status, const void* result) {
    auto& self = *static_cast<Caught*>(owner);
    EXPECT_EQ(operation, 7u);
    ++self.calls;
    self.status = Status::from_c(status);
    if (result != nullptr && self.on_result) self.on_result(result);
  }
};

class PluginHostTest : public ::testing::Test {
 protected:
  // Makes the component and runs its create.
  Status create(bool nonblocking, std::size_t max_parallel = 2) {
    ComponentIdentity identity;
    identity.plugin_id = "test.example";
    identity.name = "tester";
    identity.client_name = "tester";
    identity.nonblocking = nonblocking;
    identity.max_parallel = max_parallel;
    component_ = std::make_shared<LiveComponent>(runtime_, identity);
    host_ = std::make_unique<ComponentHost>(nonblocking);
    add_services(*host_);
    std::optional<Status> created;
    loop_.post([&] {
      component_->create(plugin_.plugin, nullptr, host_->host(),
                         [&](Status status) { created = status; });
    });
    poll_until([&] { return created.has_value(); });
    return created.value_or(Status(Code::unknown, "create did not end"));
  }
  virtual void add_services(ComponentHost&) {}
  uint32_t plugin_number() { return runtime_.contexts->number_of("test.example"); }

  void poll() { loop_.poll(); }
  void advance(std::chrono::milliseconds step) {
    timers_.advance(step);
    poll();
  }
  // Waits for what other threads do; a test that waits in vain fails.
  void poll_until(const std::function<bool()>& reached) {
    const auto limit = std::chrono::steady_clock::now() + support::patience();
    while (!reached() && std::chrono::steady_clock::now() < limit) loop_.run_for(10ms);
    EXPECT_TRUE(reached()) << "waited in vain";
  }

  // Starts an operation without a result.
  void call(Invoke invoke, std::chrono::milliseconds timeout = 30s,
            std::shared_ptr<Context> parent = nullptr) {
    outcome_.reset();
    component_->call<Nothing>("test", parent, timeout, {}, std::move(invoke), copy_nothing,
                              [this](Result<Nothing> ended) {
                                ++outcomes_;
                                outcome_ = ended.status();
                              });
  }

  runtime::ManualTimers timers_;
  runtime::EventLoop loop_;
  runtime::WorkerPool workers_;
  std::vector<std::string> stalls_;
  runtime::Watchdog watchdog_{timers_, [this](const runtime::Watchdog::Stall& stall) {
                                stalls_.emplace_back(stall.component);
                              }};
  CompletionTable completions_{loop_};
  std::vector<std::string> operations_;  // name and code of what ended
  ComponentRuntime runtime_{
      loop_,
      timers_,
      workers_,
      watchdog_,
      completions_,
      [this](const ComponentIdentity& component, std::string_view operation, const Status& status,
             std::chrono::nanoseconds, const std::optional<CloudAnswer>&) {
        operations_.push_back(component.name + "." + std::string(operation) + " " +
                              std::to_string(static_cast<int>(status.code())));
      }};
  TestPlugin plugin_;
  std::unique_ptr<ComponentHost> host_;
  std::shared_ptr<LiveComponent> component_;
  std::optional<Status> outcome_;
  int outcomes_ = 0;
};

}  // namespace ccm::plugin

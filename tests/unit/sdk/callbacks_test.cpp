// Each callback that a component hands over is dropped exactly once, whatever happens (R-13).
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <stdexcept>

namespace ccm {
namespace {

using std::chrono::milliseconds;
using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeController;
using testing::FakeHost;
using testing::plugin_of;

// Counts calls and drops of one owner.
struct Counted {
  int calls = 0;
  int drops = 0;
  ccm_callback callback() {
    return {[](void* owner) { ++static_cast<Counted*>(owner)->calls; },
            [](void* owner) { ++static_cast<Counted*>(owner)->drops; }, this};
  }
};

// Registers everything that can be registered.
struct Registers {
  explicit Registers(Host& h) : host(h) { on_create(*this); }
  Status initialize(const Ctx& ctx) { return script(*this, ctx); }
  static inline std::function<void(Registers&)> on_create = [](Registers&) {};
  static inline std::function<Status(Registers&, const Ctx&)> script;
  Host& host;
};

template <typename Table>
struct Raw {
  Raw(Host& host, const char* id) : service(host.find<Table>(id)) {}
  template <typename Member, typename... Arguments>
  auto operator()(Member member, Arguments... arguments) {
    return service.get(member)(service.self(), arguments...);
  }
  Service<Table> service;
};

class CallbacksTest : public ::testing::Test {
 protected:
  CallbacksTest() {
    Registers::on_create = [](Registers&) {};
  }
  // Runs `script` inside an operation of the component.
  void run(FakeComponent& component, std::function<void(Registers&, const Ctx&)> script) {
    Registers::script = [script = std::move(script)](Registers& self, const Ctx& ctx) {
      script(self, ctx);
      return Status();
    };
    EXPECT_TRUE(component.initialize().ok());
  }
  static const ccm_plugin* plugin() { return plugin_of<Registers, Dispatch::loop>(); }

  FakeHost host;
  Counted counted;
};

TEST_F(CallbacksTest, R_13_AfterAndPostAreDroppedWhenTheyRan) {
  FakeComponent component(host, plugin(), "test");
  Counted posted;
  run(component, [&](Registers& self, const Ctx&) {
    Raw<ccm_host_timer>(self.host, CCM_HOST_TIMER)(&ccm_host_timer::after, int64_t{5},
                                                   counted.callback());
    Raw<ccm_host_post>(self.host, CCM_HOST_POST)(&ccm_host_post::post, posted.callback());
    EXPECT_EQ(posted.calls + posted.drops, 0);
  });
  EXPECT_EQ(posted.calls, 1);
  EXPECT_EQ(posted.drops, 1);
  EXPECT_EQ(counted.drops, 0);
  host.loop.advance(milliseconds(5));
  EXPECT_EQ(counted.calls, 1);
  EXPECT_EQ(counted.drops, 1);
  component.destroy();
  EXPECT_EQ(counted.drops + posted.drops, 2);
}

TEST_F(CallbacksTest, R_13_ACancelledTimerIsDroppedUncalled) {
  FakeComponent component(host, plugin(), "test");
  run(component, [&](Registers& self, const Ctx&) {
    Raw<ccm_host_timer> timer(self.host, CCM_HOST_TIMER);
    const uint64_t number = timer(&ccm_host_timer::after, int64_t{5}, counted.callback());
    timer(&ccm_host_timer::cancel, number);
    timer(&ccm_host_timer::cancel, number);
    timer(&ccm_host_timer::cancel, uint64_t{12345});
  });
  host.loop.advance(milliseconds(10));
  EXPECT_EQ(counted.calls, 0);
  EXPECT_EQ(counted.drops, 1);
}

TEST_F(CallbacksTest, R_13_EverythingIsDroppedBeforeDestroy) {
  Counted config;
  Counted leader;
  Counted file;
  Counted ended;
  Registers::on_create = [&](Registers& self) {
    Raw<ccm_host_config>(self.host, CCM_HOST_CONFIG)(&ccm_host_config::on_change,
                                                     config.callback());
    Raw<ccm_host_leader>(self.host, CCM_HOST_LEADER)(&ccm_host_leader::on_change,
                                                     leader.callback());
    Raw<ccm_host_file>(self.host, CCM_HOST_FILE)(&ccm_host_file::watch, c_str("/f"),
                                                 file.callback());
    Raw<ccm_host_timer>(self.host, CCM_HOST_TIMER)(&ccm_host_timer::after, int64_t{5},
                                                   counted.callback());
    EXPECT_NE(self.host.background().on_end(ended.callback()), 0U);
  };
  FakeComponent component(host, plugin(), "test");
  host.config.change_cloud_config("new");
  host.leader.change(false);
  host.files.set("/f", "new");
  host.loop.run();
  EXPECT_EQ(config.calls, 1);
  EXPECT_EQ(leader.calls, 1);
  EXPECT_EQ(file.calls, 1);
  EXPECT_EQ(config.drops + leader.drops + file.drops + counted.drops + ended.drops, 0);
  EXPECT_EQ(component.live_callbacks(), 5U);
  component.destroy();
  EXPECT_EQ(ended.calls, 1);  // the background ends with the component
  for (const Counted* one : {&config, &leader, &file, &counted, &ended}) EXPECT_EQ(one->drops, 1);
  host.config.change_cloud_config("newer");
  host.files.set("/f", "newer");
  host.loop.advance(milliseconds(10));
  EXPECT_EQ(config.calls + file.calls + counted.calls, 2);
}

TEST_F(CallbacksTest, R_13_OneThatIsHandedOverTooLateIsDroppedAtOnce) {
  auto registers_at_its_end = [&](Registers& self) {
    struct AtEnd {
      Host& host;
      Counted& counted;
      ~AtEnd() {
        Raw<ccm_host_timer> timer(host, CCM_HOST_TIMER);
        EXPECT_EQ(timer(&ccm_host_timer::after, int64_t{5}, counted.callback()), 0U);
      }
    };
    static std::shared_ptr<AtEnd> last;
    last.reset(new AtEnd{self.host, counted});
    self.host.timer.after(std::chrono::hours(1), [kept = std::move(last)] {});
  };
  Registers::on_create = registers_at_its_end;
  { const FakeComponent component(host, plugin(), "test"); }
  EXPECT_EQ(counted.calls, 0);
  EXPECT_EQ(counted.drops, 1);
}

TEST_F(CallbacksTest, R_13_FunctionsOfTheSdkAreFreed) {
  const auto token = std::make_shared<int>(0);
  {
    FakeComponent component(host, plugin(), "test");
    run(component, [&](Registers& self, const Ctx&) {
      self.host.post([token] { ++*token; });
      self.host.timer.after(milliseconds(5), [token] { ++*token; });
      self.host.timer.cancel(self.host.timer.after(milliseconds(1), [token] { ++*token; }));
      const uint64_t watch = self.host.files.watch("/f", [token] { ++*token; });
      self.host.files.watch("/g", [token] { ++*token; });
      self.host.files.unwatch(watch);
    });
    host.files.set("/f", "x");
    host.files.set("/g", "x");
    host.loop.run();
    EXPECT_EQ(*token, 2);             // the post and /g
    EXPECT_EQ(token.use_count(), 3);  // the timer and /g
  }
  EXPECT_EQ(token.use_count(), 1);
}

TEST_F(CallbacksTest, WhatACallbackThrowsIsLogged) {
  FakeComponent component(host, plugin(), "test");
  run(component, [](Registers& self, const Ctx&) {
    self.host.timer.after(milliseconds(1), [] { throw std::runtime_error("broken"); });
  });
  host.loop.advance(milliseconds(1));
  EXPECT_TRUE(host.log.contains("broken"));
  EXPECT_TRUE(host.log.contains("timer.after"));
}

struct WatchingController {
  explicit WatchingController(Host&) {}
  Status setup(Setup& setup) {
    Watch watch;
    watch.resource = "v1/nodes";
    watch.map = [kept = token](EventKind, const Object&, const Object&, const Queue&) {};
    setup.watch(std::move(watch));
    return {};
  }
  Status reconcile(const Ctx&, const Request&) { return {}; }
  static inline std::shared_ptr<int> token;
};

TEST_F(CallbacksTest, R_13_AMapFunctionIsDroppedWithItsController) {
  WatchingController::token = std::make_shared<int>(0);
  FakeController controller(host, plugin_of<WatchingController, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  EXPECT_EQ(WatchingController::token.use_count(), 2);
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}})");
  controller.component.destroy();
  EXPECT_EQ(WatchingController::token.use_count(), 1);
  host.loop.run();
  WatchingController::token.reset();
}

TEST_F(CallbacksTest, R_111_AWorkersFunctionIsDroppedOnce) {
  FakeComponent component(host, plugin(), "test");
  static int completions = 0;
  completions = 0;
  Counted refused;
  run(component, [&](Registers& self, const Ctx& ctx) {
    Raw<ccm_host_worker> worker(self.host, CCM_HOST_WORKER);
    const ccm_completion done{
        [](void*, uint64_t, const ccm_status*, const void*) { ++completions; }, nullptr, 1};
    auto request = sized<ccm_work_request>();
    request.work = counted.callback();
    worker(&ccm_host_worker::run, ctx.get(), static_cast<const ccm_work_request*>(&request), done);
    request.flags = 8;
    request.work = refused.callback();
    worker(&ccm_host_worker::run, ctx.get(), static_cast<const ccm_work_request*>(&request), done);
  });
  host.loop.run();
  EXPECT_EQ(counted.calls, 1);
  EXPECT_EQ(counted.drops, 1);
  EXPECT_EQ(refused.calls, 0);
  EXPECT_EQ(refused.drops, 1);
  EXPECT_EQ(completions, 2);
}

}  // namespace
}  // namespace ccm

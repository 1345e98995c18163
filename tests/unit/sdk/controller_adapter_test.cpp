#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeController;
using testing::FakeHost;
using testing::plugin_of;

struct Labeller {
  explicit Labeller(Host& h) : host(h) {}
  Status setup(Setup& setup) {
    Watch watch;
    watch.resource = "v1/nodes";
    watch.fields = {"/metadata/labels"};
    watch.map = [this](EventKind kind, const Object&, const Object& now, const Queue& queue) {
      if (now.name() == "bad") throw std::runtime_error("unreadable");
      if (kind == EventKind::deleted) return;
      queue.add(now.name(), kind == EventKind::resync ? Priority::periodic : Priority::changed);
    };
    setup.watch(std::move(watch));
    QueueOptions options;
    options.workers = 3;
    setup.queue(options);
    return {};
  }
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request) {
    const Object node = host.kube.cached("v1/nodes", request.key);
    if (node.text("/metadata/labels/done") == "yes") co_return ReconcileResult{};
    KubePatch patch;
    patch.reference = {"v1/nodes", request.key, "", ""};
    patch.body = R"({"metadata": {"labels": {"done": "yes"}}})";
    const auto written = co_await host.kube.patch(ctx, std::move(patch));
    if (!written.ok()) co_return written.status();
    co_return ReconcileResult{std::chrono::seconds(30)};
  }
  Host& host;
};

struct Periodic {
  explicit Periodic(Host&) {}
  Status setup(Setup& setup) {
    setup.every("tick", std::chrono::seconds(10));
    return {};
  }
  Status reconcile(Ctx, const Request& request) {
    keys += request.key;
    return {};
  }
  std::string keys;
};

struct NotNeeded {
  explicit NotNeeded(Host&) {}
  Status setup(Setup&) { return Status(Code::unimplemented, "the cloud has no machines"); }
  Status reconcile(Ctx, Request) { return {}; }
};

TEST(ControllerAdapter, DeclaresWatchesAndReconcilesTheirKeys) {
  FakeHost host;
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"secret": "x"}})");
  FakeController controller(host, plugin_of<Labeller, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  EXPECT_EQ(controller.workers(), 3U);
  EXPECT_EQ(controller.watches().at(0).resource, "v1/nodes");
  controller.run();
  const auto ended = controller.take_reconciled();
  ASSERT_EQ(ended.size(), 2U);  // the patch itself is an event, too
  EXPECT_EQ(ended[0].key, "n1");
  EXPECT_EQ(ended[0].requeue_after, std::chrono::seconds(30));
  EXPECT_EQ(ended[1].requeue_after, std::chrono::seconds(0));
  EXPECT_NE(host.kube.stored("v1/nodes", "n1").find(R"("done":"yes")"), std::string::npos);
}

TEST(ControllerAdapter, OnlyDeclaredFieldsAreCached) {
  FakeHost host;
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"secret": "x"}})");
  FakeController controller(host, plugin_of<Labeller, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  Kube kube(Service<ccm_host_kube>::find(host.abi(), CCM_HOST_KUBE), host.objects.service());
  const Object cached = kube.cached("v1/nodes", "n1");
  EXPECT_EQ(cached.name(), "n1");
  EXPECT_FALSE(cached.at("/spec").exists());
}

TEST(ControllerAdapter, AFailedKeyComesBackWithItsAttempt) {
  FakeHost host;
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}})");
  host.kube.fail_next("patch", "v1/nodes",
                      Status(Code::unavailable, ErrorClass::unavailable, "down"), 2);
  FakeController controller(host, plugin_of<Labeller, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  controller.run();
  EXPECT_EQ(controller.take_reconciled().at(0).attempt, 0U);
  controller.advance(std::chrono::milliseconds(5));
  EXPECT_EQ(controller.take_reconciled().at(0).attempt, 1U);
  controller.advance(std::chrono::milliseconds(9));
  EXPECT_TRUE(controller.take_reconciled().empty());
  controller.advance(std::chrono::milliseconds(1));
  const auto third = controller.take_reconciled();
  ASSERT_FALSE(third.empty());
  EXPECT_EQ(third[0].attempt, 2U);
  EXPECT_TRUE(third[0].status.ok());
}

TEST(ControllerAdapter, AMapFunctionThatThrowsIsLogged) {
  FakeHost host;
  host.kube.put("v1/nodes", R"({"metadata": {"name": "bad"}})");
  FakeController controller(host, plugin_of<Labeller, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  controller.run();
  EXPECT_TRUE(controller.take_reconciled().empty());
  EXPECT_TRUE(host.log.contains("unreadable"));
}

TEST(ControllerAdapter, EveryComesAgainAfterEachReconcile) {
  FakeHost host;
  FakeController controller(host, plugin_of<Periodic, Dispatch::loop>(), "test");
  ASSERT_TRUE(controller.setup().ok());
  controller.run();
  ASSERT_EQ(controller.take_reconciled().size(), 1U);
  controller.advance(std::chrono::milliseconds(9'999));
  EXPECT_TRUE(controller.take_reconciled().empty());
  controller.advance(std::chrono::milliseconds(1));
  const auto again = controller.take_reconciled();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_EQ(again[0].key, "tick");
  EXPECT_EQ(again[0].priority, Priority::periodic);
}

TEST(ControllerAdapter, SetupMaySayThatItIsNotNeeded) {
  FakeHost host;
  FakeController controller(host, plugin_of<NotNeeded, Dispatch::loop>(), "test");
  const Status status = controller.setup();
  EXPECT_EQ(status.code(), Code::unimplemented);
  EXPECT_EQ(status.message(), "the cloud has no machines");
}

TEST(ControllerAdapter, StopIsLeftOutWhenTheClassHasNone) {
  FakeHost host;
  FakeController controller(host, plugin_of<Periodic, Dispatch::loop>(), "test");
  const auto table = controller.component.interface<ccm_controller>(CCM_CONTROLLER);
  EXPECT_NE(table.get(&ccm_controller::reconcile), nullptr);
  EXPECT_EQ(table.get(&ccm_controller::stop), nullptr);
}

}  // namespace
}  // namespace ccm

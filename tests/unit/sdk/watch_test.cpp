#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>
#include <ccm/watch.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeController;
using testing::FakeHost;
using testing::plugin_of;

struct Watcher {
  explicit Watcher(Host& h) : host(h) {}
  Status setup(Setup& setup) {
    watch(setup, "v1/nodes", {"/spec/podCIDR"}, std::bind_front(&Watcher::on_node, this),
          std::chrono::minutes(5));
    return {};
  }
  Status reconcile(Ctx, const Request&) { return {}; }

  void on_node(EventKind kind, const Object& old, const Object& now, const Queue& queue) {
    queue.add(std::to_string(static_cast<int>(kind)) + " " +
              std::string(old.text("/spec/podCIDR")) + " " +
              std::string(now.text("/spec/podCIDR")));
  }
  Host& host;
};

struct WatchTest : ::testing::Test {
  FakeHost host;
  FakeController controller{host, plugin_of<Watcher, Dispatch::loop>(), "test"};

  std::vector<std::string> keys() {
    controller.run();
    std::vector<std::string> result;
    for (const auto& reconciled : controller.take_reconciled()) result.push_back(reconciled.key);
    return result;
  }
};

using Keys = std::vector<std::string>;

TEST_F(WatchTest, DeclaresResourceFieldsAndPeriod) {
  ASSERT_TRUE(controller.setup().ok());
  const auto& watch = controller.watches().at(0);
  EXPECT_EQ(watch.resource, "v1/nodes");
  EXPECT_EQ(watch.fields, std::vector<std::string>{"/spec/podCIDR"});
  EXPECT_EQ(watch.resync_period, std::chrono::minutes(5));
}

TEST_F(WatchTest, HandlerSeesBothStatesOfAnUpdate) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"podCIDR": "a"}})");
  ASSERT_TRUE(controller.setup().ok());
  EXPECT_EQ(keys(), Keys{"1  a"});
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"podCIDR": "b"}})");
  EXPECT_EQ(keys(), Keys{"2 a b"});
  host.kube.remove("v1/nodes", "n1");
  EXPECT_EQ(keys(), Keys{"3  b"});
}

TEST_F(WatchTest, AnUpdateThatChangesNoDeclaredFieldIsLeftOut) {
  host.kube.put("v1/nodes", R"({"metadata": {"name": "n1"}, "spec": {"podCIDR": "a"}})");
  ASSERT_TRUE(controller.setup().ok());
  EXPECT_EQ(keys().size(), 1U);
  host.kube.put("v1/nodes",
                R"({"metadata": {"name": "n1"}, "spec": {"podCIDR": "a", "taints": []}})");
  EXPECT_EQ(keys(), Keys{});
}

}  // namespace
}  // namespace ccm

// Instances that are shut down: taints.
#include "lifecycle_fixture.hpp"
#include "node-lifecycle/controller.hpp"

#include <ccm/testing/fake_controller.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ccm::node_lifecycle {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;
using namespace std::chrono_literals;

TEST_F(LifecycleTest, LIFE_12_ShutdownIsTaintedOnceAndRunningUntainted) {
  cloud.machines["sandbox://n1"] = InstanceState::shutdown;
  put(node("n1", "Unknown"));
  start();
  EXPECT_EQ(taints(), Texts{"shutdown"});
  EXPECT_EQ(host.kube.calls()[0].answer, PatchAnswer::none);
  EXPECT_EQ(take_calls(), Texts{"patch"});
  EXPECT_EQ(events(), Texts{"Normal ShutdownTaintAdded n1"});
  controller->advance(20s);
  EXPECT_TRUE(take_calls().empty());
  cloud.machines["sandbox://n1"] = InstanceState::running;
  controller->advance(5s);
  EXPECT_EQ(taints(), Texts{});
  EXPECT_EQ(take_calls(), Texts{"patch"});
  EXPECT_EQ(events(), (Texts{"Normal ShutdownTaintAdded n1", "Normal ShutdownTaintRemoved n1"}));
}

TEST_F(LifecycleTest, LIFE_5_AReadyNodeLosesTheTaintWithoutAQuestion) {
  Json tainted = node("n1", "True");
  tainted["spec"]["taints"] = Json::array(
      {{{"key", "node.cloudprovider.kubernetes.io/shutdown"}, {"effect", "NoSchedule"}}});
  put(tainted);
  start();
  EXPECT_EQ(taints(), Texts{});
  EXPECT_TRUE(cloud.asked.empty());
}

TEST_F(LifecycleTest, LIFE_15_AConflictIsSolvedWithALiveRead) {
  cloud.machines["sandbox://n1"] = InstanceState::shutdown;
  put(node("n1", "Unknown"));
  host.kube.before_next("patch", "v1/nodes", [this] {
    Json object = stored("n1");
    object["spec"]["taints"] = Json::array({{{"key", "added"}, {"effect", "NoExecute"}}});
    put(object);
  });
  start();
  EXPECT_EQ(taints(), (Texts{"added", "shutdown"}));
  EXPECT_EQ(take_calls(), (Texts{"patch", "get", "patch"}));
}

TEST_F(LifecycleTest, ANodeThatBecomesReadyMeanwhileIsNotTainted) {
  cloud.machines["sandbox://n1"] = InstanceState::shutdown;
  put(node("n1", "Unknown"));
  host.kube.before_next("patch", "v1/nodes", [this] { put(node("n1", "True")); });
  start();
  EXPECT_EQ(taints(), Texts{});
}

TEST_F(LifecycleTest, OutOfServiceComesWithTheSecondLook) {
  host.config.set_flag("node-out-of-service-taint", "true");
  cloud.machines["sandbox://n1"] = InstanceState::shutdown;
  put(node("n1", "Unknown"));
  start();
  EXPECT_EQ(taints(), Texts{"shutdown"}) << "once is not enough, however often events come";
  controller->advance(5s);
  EXPECT_EQ(taints(), (Texts{"shutdown", "out-of-service"}));
  put([&] {
    Json ready = stored("n1");
    ready["status"]["conditions"][1]["status"] = "True";
    return ready;
  }());
  controller->run();
  EXPECT_EQ(taints(), Texts{});
}

TEST_F(LifecycleTest, ARunInBetweenBeginsTheCountAnew) {
  host.config.set_flag("node-out-of-service-taint", "true");
  cloud.machines["sandbox://n1"] = InstanceState::shutdown;
  put(node("n1", "Unknown"));
  start();
  cloud.machines["sandbox://n1"] = InstanceState::running;
  controller->advance(5s);
  cloud.machines["sandbox://n1"] = InstanceState::shutdown;
  controller->advance(5s);
  EXPECT_EQ(taints(), Texts{"shutdown"});
  controller->advance(5s);
  EXPECT_EQ(taints(), (Texts{"shutdown", "out-of-service"}));
}

}  // namespace
}  // namespace ccm::node_lifecycle

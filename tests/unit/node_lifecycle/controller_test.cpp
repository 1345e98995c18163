// Instances that are gone: which Nodes are looked at, and which are deleted.
#include "node-lifecycle/controller.hpp"

#include "lifecycle_fixture.hpp"

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

TEST_F(LifecycleTest, LIFE_1_WithoutInstancesThereIsNothingToDo) {
  testing::FakeHost bare;
  testing::FakeController alone(bare, testing::plugin_of<Controller, testing::Dispatch::loop>(),
                                "test");
  EXPECT_EQ(alone.setup().code(), Code::unimplemented);
}

TEST_F(LifecycleTest, LIFE_5_ReadyNodesCostNothing) {
  put(node("n1", "True"));
  start();
  controller->advance(1h);
  EXPECT_TRUE(cloud.asked.empty());
  EXPECT_TRUE(take_calls().empty());
  EXPECT_TRUE(controller->waiting().empty()) << "no timer either";
}

TEST_F(LifecycleTest, LIFE_5_HeartbeatsAreNoEvents) {
  cloud.machines["sandbox://n1"] = InstanceState::running;
  put(node("n1", "Unknown"));
  start();
  ASSERT_EQ(cloud.asked.size(), 1u);
  Json beat = node("n1", "Unknown");
  beat["status"]["conditions"][1]["lastHeartbeatTime"] = "2";
  put(beat);
  controller->run();
  EXPECT_EQ(cloud.asked.size(), 1u);
}

TEST_F(LifecycleTest, LIFE_8_AbsentMeansDeletedWithTheUid) {
  put(node("n1", "Unknown"));
  start();
  EXPECT_TRUE(stored("n1").is_null());
  ASSERT_EQ(host.kube.calls("delete").size(), 1u);
  EXPECT_NE(host.kube.calls("delete")[0].body.find("uid-of-n1"), std::string::npos);
  EXPECT_EQ(events(), Texts{"Normal DeletingNode n1"});
  EXPECT_NE(host.events.all()[0].message.find("n1"), std::string::npos);
  controller->advance(1min);
  EXPECT_EQ(host.kube.calls("delete").size(), 1u) << "TRAP-28";
  EXPECT_EQ(events().size(), 1u);
}

TEST_F(LifecycleTest, LIFE_4_EveryStateButTrueIsLookedAfter) {
  for (const char* ready : {"False", "Unknown", ""}) {
    put(node("n1", ready));
    start();
    EXPECT_TRUE(stored("n1").is_null()) << ready;
  }
}

TEST_F(LifecycleTest, TerminatedIsDeletedToo) {
  cloud.machines["sandbox://n1"] = InstanceState::terminated;
  put(node("n1", "False"));
  start();
  EXPECT_TRUE(stored("n1").is_null());
  EXPECT_NE(host.events.all()[0].message.find("terminated"), std::string::npos);
}

TEST_F(LifecycleTest, LIFE_6_UnknownAndErrorsDeleteNothing) {
  cloud.machines["sandbox://n1"] = InstanceState::unknown;
  put(node("n1", "False"));
  start();
  cloud.machines.clear();
  for (const ErrorClass what : {ErrorClass::none, ErrorClass::auth, ErrorClass::throttled,
                                ErrorClass::unavailable, ErrorClass::not_found}) {
    cloud.failure = Status(Code::unknown, what, "no answer");
    controller->advance(5s);
  }
  EXPECT_FALSE(stored("n1").is_null());
  EXPECT_EQ(cloud.asked.size(), 6u) << "asked again each period";
  EXPECT_TRUE(take_calls().empty());
  cloud.failure = Status();
  controller->advance(5s);
  EXPECT_TRUE(stored("n1").is_null());
}

// Pages show the Node with the cloud's reason, not as settled.
TEST_F(LifecycleTest, LIFE_6_ANodeWhoseLookFailsWaits) {
  cloud.failure = Status(Code::unauthenticated, ErrorClass::auth, "the token is not valid")
                      .with_reason("TokenRefused");
  put(node("n1", "False"));
  start();
  auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].status.error_class(), ErrorClass::waiting);
  EXPECT_EQ(ended[0].status.reason(), "TokenRefused");
  EXPECT_NE(ended[0].status.message().find("the token is not valid"), std::string::npos);
  EXPECT_EQ(ended[0].status.retry_after(), 5s);

  cloud.failure = Status();
  cloud.machines["sandbox://n1"] = InstanceState::unknown;
  controller->advance(5s);
  ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].status.error_class(), ErrorClass::waiting);
  EXPECT_EQ(ended[0].status.reason(), "InstanceStateUnknown");

  cloud.machines["sandbox://n1"] = InstanceState::running;
  controller->advance(5s);
  ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_TRUE(ended[0].status.ok());
}

TEST_F(LifecycleTest, TheCloudsDelayIsKept) {
  cloud.failure =
      Status(Code::resource_exhausted, ErrorClass::throttled, "slow down").with_retry_after(30s);
  put(node("n1", "False"));
  start();
  controller->advance(29s);
  EXPECT_EQ(cloud.asked.size(), 1u);
  controller->advance(1s);
  EXPECT_EQ(cloud.asked.size(), 2u);
}

TEST_F(LifecycleTest, ISSUE_38_8_ANodeStuckOnAFinalizerWaitsForIt) {
  Json stuck = node("n1", "Unknown");
  stuck["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  stuck["metadata"]["finalizers"] = Json::array({"example.com/a", "example.com/b"});
  put(stuck);
  stuck["metadata"]["name"] = "n2";
  stuck["metadata"]["uid"] = "uid-of-n2";
  stuck["status"] = node("n2", "True")["status"];
  put(stuck);  // its kubelet runs
  start();
  auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 2u);
  for (const auto& one : ended) {
    EXPECT_EQ(one.status.error_class(), ErrorClass::waiting);
    EXPECT_EQ(one.status.reason(), "NodeIsBeingDeleted");
    EXPECT_EQ(one.status.message(),
              "the Node is being deleted, and waits for other programs to remove their finalizers: "
              "example.com/a, example.com/b");
  }
  controller->advance(1h);
  EXPECT_TRUE(cloud.asked.empty());
  EXPECT_TRUE(take_calls().empty());
}

TEST_F(LifecycleTest, ISSUE_38_8_ANodeThatIsNotThisCloudsIsLeftAlone) {
  cloud.failure = Status(Code::unimplemented, ErrorClass::unsupported, "of another provider")
                      .with_reason("ForeignProviderID");
  put(node("n1", "False"));
  start();
  auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].status.code(), Code::implemented_elsewhere);
  EXPECT_EQ(ended[0].status.reason(), "ForeignProviderID");
  EXPECT_EQ(ended[0].status.message(), "of another provider");

  cloud.failure = Status();
  Json metal = node("n2", "Unknown");
  metal.erase("spec");
  put(metal);
  controller->run();
  ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].status.code(), Code::implemented_elsewhere);
  EXPECT_EQ(ended[0].status.reason(), "NotOfThisCloud");
}

// It was called settled.
TEST_F(LifecycleTest, ISSUE_38_8_ADeletionThatIsDeniedFails) {
  host.kube.fail_next("delete", "v1/nodes",
                      Status(Code::permission_denied, ErrorClass::auth, "no verb delete"));
  put(node("n1", "False"));
  start();
  const auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].status.error_class(), ErrorClass::auth);
  EXPECT_EQ(ended[0].status.message(), "could not delete the Node: no verb delete");
}

TEST_F(LifecycleTest, ISSUE_38_8_PagesGoOnShowingWhatTheLastLookLedTo) {
  for (int i = 0; i < 100; ++i) {
    host.kube.fail_next(
        "delete", "v1/nodes",
        Status(Code::failed_precondition, ErrorClass::waiting, "held").with_reason("DeletionHeld"));
  }
  put(node("n1", "False"));
  start();
  for (int i = 0; i < 130; ++i) controller->advance(5s);  // it is looked at slowly now
  controller->take_reconciled();
  const std::size_t looks = cloud.asked.size();
  controller->add("n1");
  controller->run();
  const auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].status.reason(), "DeletionHeld");
  EXPECT_EQ(cloud.asked.size(), looks);
}

TEST_F(LifecycleTest, AnotherProvidersNodeIsLeftForGood) {
  cloud.failure = Status(Code::unimplemented, ErrorClass::unsupported, "of another provider")
                      .with_reason("ForeignProviderID");
  put(node("n1", "False"));
  start();
  controller->advance(1min);
  EXPECT_EQ(cloud.asked.size(), 1u);
  EXPECT_TRUE(controller->waiting().empty());
  EXPECT_TRUE(events().empty());
}

TEST_F(LifecycleTest, TheAnswerIsAskedToBeYoungerThanThePeriod) {
  host.config.set_flag("node-monitor-period", "2s");
  cloud.machines["sandbox://n1"] = InstanceState::running;
  put(node("n1", "False"));
  start();
  ASSERT_EQ(cloud.asked.size(), 1u);
  EXPECT_EQ(cloud.asked[0].max_age, 1s);
  controller->advance(2s);
  EXPECT_EQ(cloud.asked.size(), 2u);
  EXPECT_TRUE(take_calls().empty()) << "LIFE-11: exists and runs";
}

TEST_F(LifecycleTest, WhatTheHostHoldsBackIsAskedForAgainQuietly) {
  const Status answers[] = {
      Status(Code::failed_precondition, ErrorClass::waiting, "held").with_reason("DeletionHeld"),
      Status(Code::failed_precondition, "exists").with_reason("InstanceExists"),
      Status(Code::failed_precondition, "Ready").with_reason("NodeIsReady"),
      Status(Code::aborted, ErrorClass::conflict, "another one").with_reason("Conflict")};
  for (const Status& answer : answers) host.kube.fail_next("delete", "v1/nodes", answer);
  put(node("n1", "False"));
  start();
  for (int pass = 0; pass < 3; ++pass) controller->advance(5s);
  EXPECT_EQ(host.kube.calls("delete").size(), 4u);
  EXPECT_TRUE(events().empty());
  controller->advance(5s);
  EXPECT_TRUE(stored("n1").is_null());
  EXPECT_EQ(events(), Texts{"Normal DeletingNode n1"});
}

// Pages show the key as what it waits for, not as settled.
TEST_F(LifecycleTest, ANodeThatTheHostHoldsBackIsNotSettled) {
  host.kube.fail_next(
      "delete", "v1/nodes",
      Status(Code::failed_precondition, ErrorClass::waiting, "held").with_reason("DeletionHeld"));
  put(node("n1", "False"));
  start();
  const auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].status.reason(), "DeletionHeld");
  EXPECT_EQ(ended[0].status.error_class(), ErrorClass::waiting);
  EXPECT_EQ(ended[0].status.retry_after(), 5s);
}

// Thirty that are released go now, and not with their next look.
TEST_F(LifecycleTest, Issue42_3_AHeldNodeGoesAtOnceWhenItIsReleased) {
  for (int i = 0; i < 200; ++i) {
    host.kube.fail_next(
        "delete", "v1/nodes",
        Status(Code::failed_precondition, ErrorClass::waiting, "held").with_reason("DeletionHeld"));
  }
  start();
  Json held = node("n1", "Unknown");
  put(held);
  for (int i = 0; i < 60; ++i) controller->advance(5s);  // it is looked at slowly now
  ASSERT_FALSE(stored("n1").is_null());
  take_calls();
  controller->advance(1s);
  ASSERT_TRUE(take_calls().empty());
  held["metadata"]["annotations"]["cloud-controller-manager/allow-deletion"] = "true";
  put(held);
  controller->advance(1s);
  EXPECT_EQ(take_calls(), std::vector<std::string>{"delete"});
}

// A kubelet may write it to its own Node, too: a Node that nobody holds has its looks at the usual
// pace.
TEST_F(LifecycleTest, Issue37_ANodeThatIsNotHeldHasNoLookForItsRelease) {
  cloud.machines["sandbox://n1"] = InstanceState::running;
  start();
  Json own = node("n1", "Unknown");
  put(own);
  for (int i = 0; i < 60; ++i) controller->advance(5s);
  const std::size_t before = cloud.asked.size();
  for (int i = 0; i < 20; ++i) {
    own["metadata"]["annotations"]["cloud-controller-manager/allow-deletion"] =
        i % 2 == 0 ? "true" : "false";
    put(own);
    controller->advance(10ms);
  }
  EXPECT_EQ(cloud.asked.size(), before);
}

TEST_F(LifecycleTest, LIFE_9_ADeletionThatFailsIsTold) {
  host.kube.fail_next("delete", "v1/nodes",
                      Status(Code::permission_denied, ErrorClass::auth, "no verb delete"));
  put(node("n1", "False"));
  start();
  EXPECT_EQ(events(), Texts{"Warning DeletingNodeFailed n1"});
  controller->advance(4s);
  EXPECT_EQ(host.kube.calls("delete").size(), 1u) << "no retry before the next pass";
  controller->advance(1s);
  EXPECT_TRUE(stored("n1").is_null());
}

TEST_F(LifecycleTest, TRAP_28_ANodeThatIsGoneAlreadyIsNoFailure) {
  host.kube.fail_next("delete", "v1/nodes", Status(Code::not_found, ErrorClass::not_found, "404"));
  put(node("n1", "False"));
  start();
  EXPECT_TRUE(events().empty());
}

TEST_F(LifecycleTest, LIFE_17_AYoungNodeWithoutAnInstanceStays) {
  Json young = node("n1", "");
  young["metadata"]["creationTimestamp"] = "2999-01-01T00:00:00Z";
  young["spec"] = {
      {"taints", Json::array({{{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                               {"effect", "NoSchedule"}}})}};
  put(young);
  start();
  controller->advance(1min);
  EXPECT_FALSE(stored("n1").is_null());
  EXPECT_TRUE(cloud.asked.empty()) << "5,000 that join are no 5,000 questions";
  young["spec"].erase("taints");
  young["spec"]["providerID"] = "sandbox://n1";
  put(young);  // initialised, with an instance that is gone meanwhile
  controller->run();
  EXPECT_TRUE(stored("n1").is_null());
}

TEST_F(LifecycleTest, ANodeThatNeverHadAnInstanceStays) {
  Json metal = node("n1", "Unknown");
  metal.erase("spec");
  put(metal);
  start();
  controller->advance(1min);
  EXPECT_FALSE(stored("n1").is_null());
  EXPECT_EQ(cloud.asked.size(), 1u);
  EXPECT_TRUE(take_calls().empty());
}

TEST_F(LifecycleTest, ThousandsInDoubtAreLookedAtMoreSlowly) {
  constexpr int kCount = 1200;
  for (int i = 0; i < kCount; ++i) {
    const std::string name = "n" + std::to_string(i);
    cloud.machines["sandbox://" + name] = InstanceState::running;
    put(node(name, "Unknown"));
  }
  start();
  EXPECT_EQ(cloud.asked.size(), 1200u);
  controller->advance(5500ms);
  EXPECT_LT(cloud.asked.size(), 2400u);
  controller->advance(1s);
  EXPECT_EQ(cloud.asked.size(), 2400u);
}

TEST_F(LifecycleTest, LIFE_17_AnOldUninitializedNodeGoes) {
  Json old = node("n1", "False");
  old["spec"]["taints"] = Json::array(
      {{{"key", "node.cloudprovider.kubernetes.io/uninitialized"}, {"effect", "NoSchedule"}}});
  put(old);
  start();
  EXPECT_TRUE(stored("n1").is_null());
}

}  // namespace

TEST_F(LifecycleTest, HOST_156_TheUsersNumberOfLifecycleWorkersIsObeyed) {
  host.config.set_flag("concurrent-node-lifecycle-syncs", "1", false);
  start();
  EXPECT_EQ(controller->workers(), 64U);
  host.config.set_flag("concurrent-node-lifecycle-syncs", "3");
  start();
  EXPECT_EQ(controller->workers(), 3U);
}

TEST_F(LifecycleTest, MET_14_15_QuestionsAreCountedByResult) {
  const std::string calls = "cloud_node_lifecycle_controller_cloud_provider_calls_total";
  cloud.machines["sandbox://runs"] = InstanceState::running;
  cloud.machines["sandbox://was"] = InstanceState::terminated;
  for (const char* name : {"runs", "was", "lost"}) put(node(name, "Unknown"));
  start();
  EXPECT_EQ(counted(calls, "instance_exists,success"), 1);
  EXPECT_EQ(counted(calls, "instance_shutdown,success"), 1);
  EXPECT_EQ(counted(calls, "instance_exists,instance_not_found"), 2);
  const auto looks =
      host.metrics.values("cloud_node_lifecycle_controller_monitor_nodes_duration_seconds");
  EXPECT_EQ(looks.size(), 3U);
  cloud.failure = Status(Code::unavailable, "the cloud is away");
  controller->advance(6s);
  EXPECT_EQ(counted(calls, "instance_exists,error"), 1);
  cloud.failure = Status(Code::unimplemented, ErrorClass::unsupported, "no such call");
  controller->advance(6s);
  EXPECT_EQ(counted(calls, "instance_exists,not_implemented"), 1);
}

}  // namespace ccm::node_lifecycle

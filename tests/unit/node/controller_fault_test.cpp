// Initialisation when the API server refuses, or others write meanwhile.
#include "fault_fixture.hpp"
#include "node_fixture.hpp"

namespace ccm::node {
namespace {

using Calls = std::vector<std::string>;
using std::chrono::milliseconds;

TEST_F(NodeFaultTest, TheTaintStaysUntilTheAddressesAreWritten) {
  host.kube.fail_next("patch", "v1/nodes/status",
                      Status(Code::unavailable, ErrorClass::unavailable, "503"));
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_TRUE(tainted("n1"));
  EXPECT_FALSE(stored("n1")["spec"].contains("providerID"));
  EXPECT_EQ(take_calls(), Calls{"patch status"});
  controller->advance(milliseconds(5));
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, TRAP_29_AConflictIsSolvedWithALiveRead) {
  put(joining("n1"));
  start();
  host.kube.set_cache_follows(false);
  host.kube.before_next("patch", "v1/nodes", [this] { touch("somebody-else"); });
  controller->run();
  EXPECT_FALSE(tainted("n1"));
  EXPECT_EQ(stored("n1")["metadata"]["labels"]["somebody-else"], "1");
  EXPECT_EQ(take_calls(), (Calls{"patch status", "patch", "get", "patch"}));
  EXPECT_EQ(event_reasons(), Calls{"Normal Synced"});
}

TEST_F(NodeFaultTest, TRAP_29_SoIsAConflictOfTheFirstWrite) {
  put(joining("n1"));
  start();
  host.kube.set_cache_follows(false);
  host.kube.before_next("patch", "v1/nodes/status", [this] { touch("somebody-else"); });
  controller->run();
  EXPECT_FALSE(tainted("n1"));
  EXPECT_EQ(stored("n1")["metadata"]["labels"]["somebody-else"], "1");
  EXPECT_EQ(take_calls(), (Calls{"patch status", "get", "patch status", "patch"}));
  EXPECT_EQ(event_reasons(), Calls{"Normal Synced"});
}

TEST_F(NodeFaultTest, TRAP_30_ATaintAddedInBetweenSurvives) {
  put(joining("n1"));
  start();
  host.kube.before_next("patch", "v1/nodes", [this] {
    Json node = stored("n1");
    node["spec"]["taints"].push_back({{"key", "new"}, {"effect", "NoExecute"}});
    put(node);
  });
  controller->run();
  EXPECT_EQ(stored("n1")["spec"]["taints"].dump(),
            R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"},)"
            R"({"key":"new","effect":"NoExecute"}])");
}

TEST_F(NodeFaultTest, NODE_22_ConflictsAreTriedABoundedNumberOfTimes) {
  put(joining("n1"));
  start();
  host.kube.fail_next("patch", "v1/nodes", Status(Code::aborted, ErrorClass::conflict, "409"), 10);
  controller->run();
  const auto ended = controller->take_reconciled();
  ASSERT_EQ(ended.size(), 1U);
  EXPECT_EQ(ended[0].status.error_class(), ErrorClass::conflict);
  EXPECT_EQ(host.kube.calls("patch").size(), 11U);
  EXPECT_TRUE(event_reasons().empty());
  controller->advance(milliseconds(5));
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, SomebodyElseInitialisesItMeanwhile) {
  put(joining("n1"));
  start();
  host.kube.before_next("patch", "v1/nodes", [this] {
    Json node = stored("n1");
    node["spec"].erase("taints");
    put(node);
  });
  controller->run();
  EXPECT_TRUE(event_reasons().empty());
  EXPECT_FALSE(stored("n1")["spec"].contains("providerID"));
  EXPECT_EQ(take_calls(), (Calls{"patch status", "patch", "get"}));
}

TEST_F(NodeFaultTest, API_70_AWriteWhoseAnswerIsLostIsNotRepeatedBlindly) {
  put(joining("n1"));
  start();
  host.kube.set_cache_follows(false);
  host.kube.lose_answer("patch", "v1/nodes",
                        Status(Code::unavailable, ErrorClass::unavailable, "reset"));
  controller->run();
  EXPECT_FALSE(tainted("n1"));
  take_calls();
  // The cache still shows the tainted Node, at a version that is no more.
  controller->advance(milliseconds(5));
  EXPECT_EQ(take_calls(), (Calls{"patch status", "get"}));
  EXPECT_FALSE(tainted("n1"));
  EXPECT_TRUE(controller->waiting().empty());
}

TEST_F(NodeFaultTest, NODE_13_ANodeMadeAgainInTheMiddleDoesNotGetTheOldInstance) {
  for (const char* resource : {"v1/nodes/status", "v1/nodes"}) {
    put(joining("n1"));
    start();
    host.kube.before_next("patch", resource, [this] {
      cloud.machines["n1"].provider_id = "sandbox://new";
      cloud.machines["n1"].addresses = {{"InternalIP", "10.0.0.2"}};
      host.kube.remove("v1/nodes", "n1");
      Json again = joining("n1");
      again["metadata"]["uid"] = "another";
      put(again);
    });
    controller->run();
    EXPECT_EQ(stored("n1")["spec"]["providerID"], "sandbox://new") << resource;
    EXPECT_EQ(stored("n1")["status"]["addresses"][0]["address"], "10.0.0.2") << resource;
    host.kube.remove("v1/nodes", "n1");
    cloud.machines["n1"] = machine("n1");
    controller->run();
  }
}

TEST_F(NodeFaultTest, NODE_4_RetriesAreAtMostAMinuteApart) {
  cloud.failure = Status(Code::unavailable, ErrorClass::unavailable, "down");
  put(joining("n1"));
  start();
  controller->run();
  for (int minute = 0; minute < 30; ++minute) {
    controller->take_reconciled();
    controller->advance(std::chrono::minutes(1));
    ASSERT_EQ(controller->take_reconciled().size(), 1U) << minute;
  }
  cloud.failure = Status();
  controller->advance(std::chrono::minutes(1));
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, ANodeThatVanishesIsNoFailure) {
  for (const char* resource : {"v1/nodes/status", "v1/nodes"}) {
    put(joining("n1"));
    start();
    host.kube.before_next("patch", resource, [this] { host.kube.remove("v1/nodes", "n1"); });
    controller->run();
    for (const auto& ended : controller->take_reconciled()) {
      EXPECT_TRUE(ended.status.ok()) << resource << ": " << ended.status.message();
    }
    EXPECT_TRUE(controller->waiting().empty()) << resource;
  }
}

// Deleted and made again while a write is under way: nothing of it reaches the new Node.
TEST_F(NodeFaultTest, API_46_ANodeMadeAgainMeanwhileGetsNothingOfTheOldOne) {
  for (const char* resource : {"v1/nodes/status", "v1/nodes"}) {
    host.kube.set_cache_follows(true);
    put(joining("n1"));
    start();
    host.kube.set_cache_follows(false);  // else its own turn would come
    host.kube.before_next("patch", resource, [this] {
      host.kube.remove("v1/nodes", "n1");
      Json again = joining("n1");
      again["metadata"]["uid"] = "another";
      again["spec"] = {{"providerID", "other://1"}};
      put(again);
    });
    controller->run();
    EXPECT_EQ(stored("n1")["metadata"]["uid"], "another") << resource;
    EXPECT_EQ(stored("n1")["spec"]["providerID"], "other://1") << resource;
    EXPECT_EQ(stored("n1")["status"]["addresses"].size(), 1U) << resource;
    EXPECT_TRUE(event_reasons().empty()) << resource;
    EXPECT_TRUE(controller->waiting().empty()) << resource;
    host.kube.remove("v1/nodes", "n1");
  }
}

TEST_F(NodeFaultTest, A422IsToldAtOnceAndTriedAgainSlowly) {
  put(joining("n1"));
  start();
  const Status refused = Status(Code::invalid_argument, ErrorClass::invalid_spec,
                                "status.addresses[0]: Duplicate value")
                             .with_reason("Invalid");
  host.kube.fail_next("patch", "v1/nodes/status", refused, 2);
  controller->run();
  EXPECT_TRUE(tainted("n1"));
  EXPECT_EQ(event_reasons(), Calls{"Warning Invalid"});
  EXPECT_NE(host.events.all()[0].message.find("Duplicate value"), std::string::npos);
  controller->advance(milliseconds(59'999));
  EXPECT_EQ(take_calls(), Calls{"patch status"});
  controller->advance(milliseconds(1));
  EXPECT_EQ(take_calls(), Calls{"patch status"});
  EXPECT_TRUE(tainted("n1"));
  touch("changed");  // a change of the Node tries at once
  controller->run();
  EXPECT_FALSE(tainted("n1"));
}

TEST_F(NodeFaultTest, NODE_27_AResyncLeavesWaitingNodesToTheirBackOff) {
  cloud.machines.clear();
  put(joining("n1"));
  start();
  controller->run();
  controller->take_reconciled();
  host.kube.resync();
  controller->run();
  EXPECT_TRUE(controller->take_reconciled().empty());
}

TEST_F(NodeFaultTest, WhatAnotherProgramDoesIsLeftAlone) {
  cloud.failure = Status(Code::implemented_elsewhere, "another cloud's");
  put(joining("n1"));
  start();
  controller->run();
  EXPECT_TRUE(tainted("n1"));
  EXPECT_TRUE(controller->waiting().empty());
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(NodeFaultTest, DestroyedInTheMiddleNothingIsLeftBehind) {
  cloud.delay = std::chrono::minutes(10);
  put(joining("n1"));
  start();
  host.loop.run();
  const auto pending = controller->start_reconcile(host.contexts.make(), {"n1"});
  host.loop.run();
  EXPECT_EQ(cloud.asked.size(), 1U);
  controller->component.destroy();
  host.loop.run();
  EXPECT_TRUE(pending.done());
  EXPECT_EQ(pending.outcome().status().code(), Code::cancelled);
  EXPECT_TRUE(host.faults().empty());
}

}  // namespace
}  // namespace ccm::node

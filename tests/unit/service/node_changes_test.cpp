// Load balancers follow the Nodes, with few writes.
#include "service_fixture.hpp"

namespace ccm::service {
namespace {

class NodeChangesTest : public ServiceTest {
 protected:
  void made(int services, int nodes) {
    put_nodes(nodes);
    for (int i = 0; i < services; ++i) put(balanced("s" + std::to_string(i)));
    start();
    run();
    advance(seconds(5));
    take_cloud();
    take_writes();
    take_events();
  }
  std::size_t backends_of(const std::string& name) {
    return host.load_balancers.balancers["uid-of-" + name].backends.size();
  }
};

TEST_F(NodeChangesTest, SVC_52_60_63_OneUpdateAndNoPatch) {
  made(1, 1);
  put_node(plain_node("new"));
  run();
  EXPECT_TRUE(take_cloud().empty());  // more may come
  advance(milliseconds(1100));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
  EXPECT_EQ(backends_of("s0"), 2U);
  EXPECT_TRUE(take_writes().empty());
  EXPECT_EQ(take_events(), Texts{"Normal UpdatedLoadBalancer"});
  EXPECT_EQ(recorded("service_controller_loadbalancer_sync_total"), 1);
  EXPECT_EQ(records("service_controller_update_loadbalancer_host_latency_seconds"), 1U);
  EXPECT_EQ(records("service_controller_nodesync_latency_seconds"), 1U);
  EXPECT_EQ(recorded("service_controller_nodesync_error_total"), 0);
}

TEST_F(NodeChangesTest, MET_6_AServiceThatGoesDuringAPassDoesNotHoldItUp) {
  made(2, 1);
  host.load_balancers.before_next("remove", [&] { put_node(plain_node("new")); });
  mark_deleted("s0");
  advance(seconds(3));
  ASSERT_FALSE(exists("s0"));
  EXPECT_EQ(backends_of("s1"), 2U);
  EXPECT_EQ(records("service_controller_nodesync_latency_seconds"), 1U);
}

TEST_F(NodeChangesTest, AHundredWithinASecondAreAtMostTwoUpdates) {
  made(10, 1);
  for (int i = 0; i < 100; ++i) {
    put_node(plain_node("burst-" + std::to_string(i)));
    advance(milliseconds(9));
  }
  advance(seconds(3));
  const Texts calls = take_cloud();
  EXPECT_GE(calls.size(), 10U);
  EXPECT_LE(calls.size(), 20U);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(backends_of("s" + std::to_string(i)), 101U);
}

TEST_F(NodeChangesTest, OneThatLeavesIsOneWriteEach) {
  made(100, 3);
  const int before = host.load_balancers.writes();
  host.kube.remove("v1/nodes", "node-1");
  advance(milliseconds(1500));
  EXPECT_EQ(host.load_balancers.writes() - before, 100);
  EXPECT_EQ(take_cloud().size(), 100U);
  EXPECT_EQ(backends_of("s99"), 2U);
}

TEST_F(NodeChangesTest, SVC_53_56_WhatDoesNotMatter) {
  made(3, 2);
  Json node = plain_node("node-1");
  node["status"]["conditions"] = {{{"type", "Ready"}, {"status", "False"}}};
  put_node(node);
  node["metadata"]["labels"]["a"] = "b";
  put_node(node);
  node["spec"]["unschedulable"] = true;
  put_node(node);
  host.kube.resync();
  advance(seconds(10));
  EXPECT_TRUE(take_cloud().empty());
  EXPECT_TRUE(take_writes().empty());
}

TEST_F(NodeChangesTest, TRAP_17_ANodeThatIsGoingToLeaveLeavesFirst) {
  made(2, 3);
  Json node = plain_node("node-1");
  node["spec"]["taints"] = {{{"key", "ToBeDeletedByClusterAutoscaler"}}};
  put_node(node);
  advance(milliseconds(1500));
  EXPECT_EQ(take_cloud(), (Texts{"update_backends", "update_backends"}));
  EXPECT_EQ(backends_of("s0"), 2U);
  host.kube.remove("v1/nodes", "node-1");
  advance(seconds(2));
  EXPECT_TRUE(take_cloud().empty()) << "it has left already";

  Json deleted = plain_node("node-2");
  deleted["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  put_node(deleted);
  advance(milliseconds(1500));
  EXPECT_EQ(backends_of("s0"), 1U);
}

TEST_F(NodeChangesTest, TRAP_17_ATaintThatIsTakenBackBringsTheNodeBack) {
  made(1, 2);
  Json node = plain_node("node-1");
  node["spec"]["taints"] = {{{"key", "ToBeDeletedByClusterAutoscaler"}}};
  put_node(node);
  advance(seconds(2));
  EXPECT_EQ(backends_of("s0"), 1U);
  put_node(plain_node("node-1"));
  advance(seconds(2));
  EXPECT_EQ(backends_of("s0"), 2U);
}

TEST_F(NodeChangesTest, ACordonedNodeLeavesWhereThatWasAskedFor) {
  host.config.set_flag("load-balancer-exclude-unschedulable", "true");
  made(1, 2);
  Json node = plain_node("node-1");
  node["spec"]["unschedulable"] = true;
  put_node(node);
  advance(seconds(2));
  EXPECT_EQ(backends_of("s0"), 1U);
  put_node(plain_node("node-1"));
  advance(seconds(2));
  EXPECT_EQ(backends_of("s0"), 2U);
}

TEST_F(NodeChangesTest, AFlappingNodeChangesNothing) {
  made(2, 2);
  for (int i = 0; i < 10; ++i) {
    host.kube.remove("v1/nodes", "node-1");
    put_node(plain_node("node-1"));
  }
  advance(seconds(3));
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(NodeChangesTest, TRAP_39_AProviderIdThatComesLater) {
  Json early = plain_node("early");
  early["spec"].erase("providerID");
  put_node(early);
  made(1, 0);
  put_node(plain_node("early"));
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
}

// A kubelet that knows its provider ID registers with it; the addresses come with initialisation.
TEST_F(NodeChangesTest, AddressesThatComeLater) {
  made(2, 1);
  put_node(plain_node("new"));
  advance(seconds(2));
  take_cloud();
  EXPECT_EQ(take_events().size(), 2U);
  Json node = plain_node("new");
  node["status"]["addresses"] = {{{"type", "ExternalIP"}, {"address", "192.0.2.7"}}};
  put_node(node);
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), (Texts{"update_backends", "update_backends"}));
  EXPECT_TRUE(take_events().empty());  // this provider does not choose by them
  put_node(node);
  advance(seconds(2));
  EXPECT_TRUE(take_cloud().empty());
}

TEST_F(NodeChangesTest, SVC_58_TheExclusionLabelTakesANodeOut) {
  made(1, 2);
  Json node = plain_node("node-1");
  node["metadata"]["labels"]["node.kubernetes.io/exclude-from-external-load-balancers"] = "";
  put_node(node);
  advance(seconds(2));
  EXPECT_EQ(backends_of("s0"), 1U);
}

TEST_F(NodeChangesTest, SVC_60_NoneLeftIsAWarning) {
  made(1, 1);
  host.kube.remove("v1/nodes", "node-0");
  advance(seconds(2));
  EXPECT_EQ(take_events(), Texts{"Warning UnAvailableLoadBalancer"});
  EXPECT_EQ(backends_of("s0"), 0U);
}

TEST_F(NodeChangesTest, SVC_61_ImplementedElsewhereIsFine) {
  made(1, 1);
  host.load_balancers.fail_next("update_backends", Status(Code::implemented_elsewhere, "x"));
  put_node(plain_node("new"));
  advance(seconds(20));
  EXPECT_EQ(take_cloud(), Texts{"update_backends"});
  EXPECT_TRUE(take_events().empty());
}

TEST_F(NodeChangesTest, SVC_62_59_73_AFailureIsToldAndTheRetryIsAWholeOne) {
  made(1, 1);
  host.load_balancers.fail_next("update_backends", down());
  put_node(plain_node("new"));
  advance(seconds(2));
  EXPECT_EQ(take_events(), Texts{"Warning UpdateLoadBalancerFailed"});
  const std::string text = last_event("UpdateLoadBalancerFailed");
  EXPECT_NE(text.find("new, node-0 (2)"), std::string::npos) << text;
  EXPECT_EQ(recorded("service_controller_nodesync_error_total"), 1);
  EXPECT_TRUE(take_writes().empty());
  advance(seconds(6));
  EXPECT_EQ(take_cloud(), (Texts{"update_backends", "ensure"}));
  EXPECT_EQ(backends_of("s0"), 2U);
}

TEST_F(NodeChangesTest, OneThatVanishedFromTheCloudIsMadeAgain) {
  made(1, 1);
  host.load_balancers.balancers.clear();
  put_node(plain_node("new"));
  advance(seconds(2));
  EXPECT_EQ(take_cloud(), (Texts{"update_backends", "ensure"}));
  EXPECT_EQ(backends_of("s0"), 2U);
  EXPECT_EQ(stored("s0")["metadata"]["annotations"][kIdAnnotationName], "lb-2");
}

TEST_F(NodeChangesTest, AChangeWhileTheFirstEnsureIsUnderWay) {
  put_nodes(1);
  put(balanced("s0"));
  start();
  host.load_balancers.before_next("ensure", [&] { put_node(plain_node("late")); });
  run();
  advance(seconds(3));
  EXPECT_EQ(backends_of("s0"), 2U);
}

TEST_F(NodeChangesTest, ChangesDoNotWakeWhatMustWait) {
  host.load_balancers.fail_next("ensure", quota(), 100);
  put(balanced("s0"));
  start();
  run();
  take_cloud();
  for (int i = 0; i < 5; ++i) {
    put_node(plain_node("n" + std::to_string(i)));
    advance(seconds(5));
  }
  EXPECT_TRUE(take_cloud().empty());
}

}  // namespace
}  // namespace ccm::service

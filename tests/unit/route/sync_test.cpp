// Runs over Nodes and routes without failures.
#include "route_fixture.hpp"

namespace ccm::route {
namespace {

class SyncTest : public RouteTest {};

TEST_F(SyncTest, ROUTE_11_23_ANodeGetsItsRoute) {
  put(node("node-1", {"10.244.1.0/24"}));
  start();
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-1"});
  const auto calls = host.routes.calls();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].operation, "limits");
  EXPECT_EQ(calls[1].operation, "list");
  EXPECT_EQ(calls[1].cluster_name, "blue");
  EXPECT_EQ(calls[2].operation, "apply");
  EXPECT_EQ(calls[2].cluster_name, "blue");
  const Route& route = calls[2].additions[0];
  EXPECT_EQ(route.target_provider_id, "fake://node-1");
  EXPECT_TRUE(route.target_addresses.empty()) << "kubelets write those of Nodes";
  EXPECT_EQ(route.node.name(), "node-1");
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
  EXPECT_EQ(sum("route_controller_route_sync_total", "changed,node_change"), 1);
  EXPECT_EQ(sum("ccm_route_changes_total", "add,success"), 1);
  EXPECT_TRUE(events().empty());
}

TEST_F(SyncTest, ROUTE_10_33_ASecondRunWithoutAChangeWritesNothing) {
  put(node("node-1", {"10.244.1.0/24", "fd00:10:0:1::/64"}));
  start();
  EXPECT_EQ(table().size(), 2U);
  host.routes.clear_calls();
  host.kube.clear_calls();
  audit();
  EXPECT_EQ(sum("route_controller_route_sync_total", "noop,periodic"), 1);
  EXPECT_EQ(host.routes.calls().size(), 1U);  // the listing
  EXPECT_TRUE(host.kube.calls().empty());
}

TEST_F(SyncTest, AThousandNodesAreOneBatch) {
  for (int i = 0; i < 1'000; ++i) {
    put(node("node-" + std::to_string(i),
             {"10.244." + std::to_string(i / 256) + "." + std::to_string(i % 256) + "/32"}));
  }
  start();
  EXPECT_EQ(table().size(), 1'000U);
  EXPECT_EQ(applies(), 1U);
  EXPECT_EQ(patches(), 1'000U);
  EXPECT_EQ(condition("node-999"), "False RouteCreated");
}

TEST_F(SyncTest, ROUTE_8_ABurstIsOneRun) {
  start();
  host.routes.clear_calls();
  audit();
  for (int i = 0; i < 100; ++i) {
    put(node("node-" + std::to_string(i), {"10.244." + std::to_string(i) + ".0/24"}));
    controller->advance(milliseconds(1));
  }
  controller->advance(milliseconds(1'100));
  EXPECT_EQ(table().size(), 100U);
  EXPECT_LE(applies(), 2U);
}

TEST_F(SyncTest, ROUTE_9_WhatHappensDuringARunIsInTheNext) {
  start();
  put(node("node-1", {"10.244.1.0/24"}));
  host.routes.before_next("apply", [this] { put(node("node-2", {"10.244.2.0/24"})); });
  next_run();
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-1"});
  next_run();
  EXPECT_EQ(table().size(), 2U);
}

TEST_F(SyncTest, ASlowCloudIsAskedLessOften) {
  host.routes.delay = milliseconds(2'000);
  start();  // limits and a listing: 4 s
  host.routes.clear_calls();
  put(node("node-1", {"10.244.1.0/24"}));
  controller->advance(milliseconds(9'000));
  EXPECT_TRUE(host.routes.calls().empty());
  controller->advance(milliseconds(1'000));
  EXPECT_EQ(table().size(), 1U);
}

TEST_F(SyncTest, ROUTE_7_EventsThatStartARun) {
  put(node("node-1", {"10.244.1.0/24"}));
  start();
  const auto lists = [this] {
    const std::size_t count = host.routes.calls("list").size();
    host.routes.clear_calls();
    return count;
  };
  lists();
  controller->advance(milliseconds(1'000));

  Json changed = node("node-1", {"10.244.1.0/24"});
  changed["metadata"]["uid"] = "uid-of-node-1";
  changed["status"]["conditions"] = whole_condition("node-1").is_null()
                                        ? Json::array()
                                        : Json::array({whole_condition("node-1")});
  changed["status"]["addresses"][0]["address"] = "192.0.2.99";
  put(changed);
  next_run();
  EXPECT_EQ(lists(), 1U);

  changed["status"]["conditions"].push_back({{"type", "Ready"}, {"status", "False"}});
  put(changed);
  put(node("node-2"));  // without a range there is nothing to do
  next_run();
  EXPECT_EQ(lists(), 0U);

  remove("node-1");
  next_run();
  EXPECT_EQ(lists(), 1U);
  EXPECT_TRUE(table().empty());
}

TEST_F(SyncTest, ROUTE_19_ANodeThatLeavesTakesItsRoutesAlong) {
  put(node("node-1", {"10.244.1.0/24", "fd00:10:0:1::/64"}));
  put(node("node-2", {"10.244.2.0/24"}));
  start();
  remove("node-1");
  next_run();
  EXPECT_EQ(table(), Texts{"10.244.2.0/24>node-2"});
  EXPECT_EQ(host.kube.calls("get").size(), 1U);  // one look whether it is really gone
  EXPECT_EQ(sum("ccm_route_changes_total", "remove,success"), 2);
}

TEST_F(SyncTest, ROUTE_5_DriftIsRepairedByTheAudit) {
  put(node("node-1", {"10.244.1.0/24"}));
  put(node("node-2", {"10.244.2.0/24"}));
  start();
  host.routes.table_of_cloud.erase(host.routes.table_of_cloud.begin());
  list(listed("10.244.9.0/24", "node-1"));
  audit();
  EXPECT_EQ(table(), (Texts{"10.244.1.0/24>node-1", "10.244.2.0/24>node-2"}));
}

TEST_F(SyncTest, ROUTE_15_22_AnAddressThatChangesIsReplacedInOneBatch) {
  put(node("node-1", {"10.244.1.0/24"}));
  start();
  // The host finds no Node's instance at the old address.
  host.routes.table_of_cloud[0].target_node.clear();
  Json moved = node("node-1", {"10.244.1.0/24"});
  moved["status"]["addresses"][0]["address"] = "192.0.2.77";
  put(moved);
  host.routes.clear_calls();
  next_run();
  ASSERT_EQ(applies(), 1U);
  EXPECT_EQ(host.routes.calls("apply")[0].removals.size(), 1U);
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-1"});
}

TEST_F(SyncTest, Issue37_2_AnOlderNodeThatGoesMakesRoomAtOnce) {
  put(node("node-1", {"10.244.1.0/24"}));
  put(node("node-2", {"10.244.2.0/24"}));
  host.routes.refusals["10.244.2.0/24"] =
      Status(Code::failed_precondition, ErrorClass::waiting, "instance m-1 is that of Node node-1")
          .with_reason("InstanceOfAnotherNode");
  start();
  for (int i = 0; i < 30; ++i) audit();
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-1"});
  EXPECT_EQ(events(), Texts{"Warning InstanceOfAnotherNode node-2"});
  EXPECT_EQ(condition("node-2"), "True NoRouteCreated");
  host.routes.refusals.clear();
  remove("node-1");
  next_run();
  EXPECT_EQ(table(), Texts{"10.244.2.0/24>node-2"});
}

// The host knows soon, and a joining Node needs no Warning.
TEST_F(SyncTest, Issue37_2_AnInstanceThatIsNotKnownYetIsWaitedForInSilence) {
  put(node("node-1", {"10.244.1.0/24"}));
  host.routes.refusals["10.244.1.0/24"] =
      Status(Code::failed_precondition, ErrorClass::waiting, "the cloud has no instance for it")
          .with_reason("NoInstance");
  start();
  audit();
  EXPECT_TRUE(events().empty());
  EXPECT_EQ(condition("node-1"), "True NoRouteCreated");
  EXPECT_NE(whole_condition("node-1")["message"].get<std::string>().find("no instance for it"),
            std::string::npos);
}

TEST_F(SyncTest, ABlackholeIsReplaced) {
  put(node("node-1", {"10.244.1.0/24"}));
  Route dead = listed("10.244.1.0/24", "node-1");
  dead.blackhole = true;
  list(dead);
  start();
  ASSERT_EQ(host.routes.table_of_cloud.size(), 1U);
  EXPECT_FALSE(host.routes.table_of_cloud[0].blackhole);
  EXPECT_EQ(condition("node-1"), "False RouteCreated");
}

TEST_F(SyncTest, ANodeWhoseRangeWasAnothersGetsTheRoute) {
  put(node("node-1", {"10.244.1.0/24"}));
  start();
  remove("node-1");
  put(node("node-2", {"10.244.1.0/24"}));
  next_run();
  EXPECT_EQ(table(), Texts{"10.244.1.0/24>node-2"});
}

TEST_F(SyncTest, ClustersWithoutNodesLoseTheirRoutesToo) {
  list(listed("10.244.1.0/24", "node-1"));
  start();
  EXPECT_TRUE(table().empty());
}

}  // namespace
}  // namespace ccm::route

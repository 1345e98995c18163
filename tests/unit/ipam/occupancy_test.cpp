// Ranges reserved before the first allocation, and ranges released by deleted Nodes.
#include "ipam_fixture.hpp"

#include <set>

namespace ccm::ipam {
namespace {

class OccupancyTest : public IpamTest {
 protected:
  OccupancyTest() { pools("10.0.0.0/21"); }  // eight blocks

  // Fills the pool and returns what the new Nodes got, in the order of the blocks.
  std::set<std::string> rest() {
    std::set<std::string> got;
    for (int i = 0; i < 9; ++i) put(node("new-" + std::to_string(i)));
    controller->run();
    for (int i = 0; i < 9; ++i) got.insert(range("new-" + std::to_string(i)));
    got.erase("");
    return got;
  }
  [[nodiscard]] double usage() const {
    return gauge("node_ipam_controller_cidrset_usage_cidrs", "10.0.0.0/21");
  }
};

TEST_F(OccupancyTest, IPAM_24_ExistingNodesFirst) {
  put(node("z-old", {"10.0.0.0/24"}));
  put(node("a-new"));
  put(node("m-old", {"10.0.1.0/24"}));
  start();
  controller->run();
  EXPECT_EQ(range("z-old"), "10.0.0.0/24");
  EXPECT_FALSE(range("a-new").empty());
  EXPECT_EQ(rest().size(), 5U);
  EXPECT_EQ(usage(), 1);
}

TEST_F(OccupancyTest, IPAM_22_RangesOfOtherSizes) {
  put(node("narrow-1", {"10.0.2.0/26"}));
  put(node("narrow-2", {"10.0.2.64/26"}));
  start();
  controller->run();
  EXPECT_EQ(rest(),
            (std::set<std::string>{"10.0.0.0/24", "10.0.1.0/24", "10.0.3.0/24", "10.0.4.0/24",
                                   "10.0.5.0/24", "10.0.6.0/24", "10.0.7.0/24"}));
  for (const auto& reason : event_reasons()) EXPECT_EQ(reason, "Normal CIDRNotAvailable");
  remove("narrow-1");
  controller->run();
  EXPECT_EQ(usage(), 1);  // the other one is still in the block
  remove("narrow-2");
  controller->run();
  controller->advance(milliseconds(10'000));
  EXPECT_EQ(usage(), 1);  // and now somebody new is
}

// As after a change of --node-cidr-mask-size: what such a Node uses is given last.
TEST_F(OccupancyTest, Issue37_4_BlocksWithinAWideClaimAreGivenLast) {
  put(node("wide", {"10.0.2.0/23"}));
  start();
  for (int i = 0; i < 6; ++i) put(node("n" + std::to_string(i)));
  controller->run();
  for (int i = 0; i < 6; ++i) {
    const std::string got = range("n" + std::to_string(i));
    EXPECT_FALSE(got.empty());
    EXPECT_TRUE(got != "10.0.2.0/24" && got != "10.0.3.0/24") << got;
  }
  put(node("n6"));
  put(node("n7"));
  controller->run();
  EXPECT_EQ((std::set<std::string>{range("n6"), range("n7")}),
            (std::set<std::string>{"10.0.2.0/24", "10.0.3.0/24"}));
}

TEST_F(OccupancyTest, Issue37_4_AWideClaimIsThatNodesFaultAlone) {
  put(node("evil", {"10.0.0.0/21"}));
  start();
  controller->run();
  EXPECT_EQ(event_reasons(), Texts{"Warning PodCIDRTooWide"});
  const auto ended = controller->take_reconciled();
  ASSERT_FALSE(ended.empty());
  EXPECT_EQ(ended.back().key, "evil");
  EXPECT_TRUE(ended.back().status.permanent());
  EXPECT_EQ(ended.back().status.reason(), "PodCIDRTooWide");
  EXPECT_EQ(rest().size(), 8U);
  EXPECT_EQ(usage(), 1);
  start();  // a new process
  remove("new-3");
  remove("new-8");  // one of the two waited for a block
  controller->run();
  put(node("late"));
  controller->run();
  EXPECT_FALSE(range("late").empty());
}

TEST_F(OccupancyTest, Issue37_4_OneEventHoweverOftenItIsSeen) {
  put(node("evil", {"10.0.0.0/16"}));
  start();
  controller->run();
  for (int i = 0; i < 5; ++i) {
    Json again = node("evil", {"10.0.0.0/16"});
    again["metadata"]["labels"] = {{"beat", std::to_string(i)}};
    put(again);
    controller->add("evil");
    controller->advance(milliseconds(600'000));
  }
  EXPECT_EQ(event_reasons(), Texts{"Warning PodCIDRTooWide"});
}

TEST_F(OccupancyTest, Issue37_4_TheYoungerOfTwoIsToldAndForgivenWhenTheOlderOneGoes) {
  Json young = node("a-young", {"10.0.1.0/24"});
  young["metadata"]["creationTimestamp"] = "2026-02-01T00:00:00Z";
  Json old = node("z-old", {"10.0.1.0/24"});
  old["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z";
  put(young);
  start();
  controller->run();
  EXPECT_TRUE(event_reasons().empty());
  put(old);
  controller->run();
  ASSERT_EQ(event_reasons(), Texts{"Warning CIDRConflict"});
  EXPECT_EQ(host.events.all()[0].object, "a-young");
  EXPECT_EQ(controller->take_reconciled().back().status.reason(), "CIDRConflict");
  remove("z-old");
  controller->run();
  const auto ended = controller->take_reconciled();
  ASSERT_FALSE(ended.empty());
  EXPECT_EQ(ended.back().key, "a-young");
  EXPECT_TRUE(ended.back().status.ok());
  EXPECT_EQ(event_reasons().size(), 1U);
}

TEST_F(OccupancyTest, IPAM_25_ServiceRangesAreKeptFree) {
  host.config.set_flag("service-cluster-ip-range", "10.0.2.0/23,fd00::/108");
  start();
  controller->run();
  const auto got = rest();
  EXPECT_EQ(got.size(), 6U);
  EXPECT_FALSE(got.contains("10.0.2.0/24"));
  EXPECT_FALSE(got.contains("10.0.3.0/24"));
}

TEST_F(OccupancyTest, IPAM_25_AServiceRangeAroundTheClusterLeavesNothing) {
  host.config.set_flag("service-cluster-ip-range", "10.0.0.0/8");
  put(node("n1"));
  start();
  controller->run();
  EXPECT_EQ(event_reasons(), Texts{"Normal CIDRNotAvailable"});
}

TEST_F(OccupancyTest, ANodeWithinTheServiceRangeIsReported) {
  host.config.set_flag("service-cluster-ip-range", "10.0.2.0/24");
  put(node("odd", {"10.0.2.0/24"}));
  start();
  controller->run();
  EXPECT_EQ(event_reasons(), Texts{"Warning CIDRConflict"});
  remove("odd");
  controller->run();
  EXPECT_FALSE(rest().contains("10.0.2.0/24"));
}

TEST_F(OccupancyTest, IPAM_39_TwoNodesWithOneRangeAreReportedAndLeftAlone) {
  put(node("n1", {"10.0.1.0/24"}));
  put(node("n2", {"10.0.1.0/24"}));
  start();
  controller->run();
  const auto events = host.events.all();
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(events[0].warning);
  EXPECT_EQ(events[0].reason, "CIDRConflict");
  EXPECT_EQ(events[0].object, "n2");
  EXPECT_NE(events[0].message.find("10.0.1.0/24"), std::string::npos);
  EXPECT_NE(events[0].message.find("Node n1"), std::string::npos);
  EXPECT_TRUE(take_calls().empty());
  // When one leaves, the other still has the block.
  remove("n1");
  controller->run();
  EXPECT_FALSE(rest().contains("10.0.1.0/24"));
}

TEST_F(OccupancyTest, IPAM_26_RangesOutsideAreReportedAndTheOthersServed) {
  put(node("far", {"192.168.0.0/24"}));
  put(node("odd", {"not a range"}));
  put(node("n1"));
  start();
  controller->run();
  EXPECT_EQ(event_reasons(), (Texts{"Warning PodCIDROutOfRange", "Warning PodCIDROutOfRange"}));
  EXPECT_FALSE(range("n1").empty());
  EXPECT_EQ(range("far"), "192.168.0.0/24");
}

TEST_F(OccupancyTest, IPAM_27_TheFamilyCountsNotThePosition) {
  pools("fd00::/61,10.0.0.0/21");
  put(node("n1", {"10.0.0.0/24", "fd00::/64"}));
  start();
  controller->run();
  EXPECT_TRUE(event_reasons().empty());
  EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", "10.0.0.0/21"), 0.125);
  EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", "fd00::/61"), 0.125);
}

TEST_F(OccupancyTest, IPAM_40_ARestartRebuildsItAll) {
  for (int i = 0; i < 5; ++i) put(node("n" + std::to_string(i)));
  start();
  controller->run();
  remove("n2");
  const std::string n4 = range("n4");
  start();
  controller->run();
  EXPECT_EQ(usage(), 0.5);
  EXPECT_EQ(rest().size(), 4U);
  EXPECT_EQ(range("n4"), n4);
}

TEST_F(OccupancyTest, ANodeMadeAgainUnderItsNameGivesTheOldBlockBack) {
  put(node("n1"));
  start();
  controller->run();
  host.kube.set_cache_follows(false);
  remove("n1");
  Json again = node("n1");
  again["metadata"]["uid"] = "another";
  put(again);
  host.kube.set_cache_follows(true);
  host.kube.catch_up();  // one update from the old Node to the new one
  controller->run();
  EXPECT_EQ(ranges("n1").size(), 1U);
  EXPECT_EQ(usage(), 0.125);
}

class TakeoverTest : public OccupancyTest {};

TEST_F(TakeoverTest, AStandbyGoesOnWhereTheLeaderStopped) {
  for (const char* name : {"n1", "n2", "n3"}) put(node(name));
  start();  // the watch is connected, nothing is reconciled yet
  host.loop.run();
  set_ranges("n1", {"10.0.0.0/24"});
  set_ranges("n2", {"10.0.1.0/24"});
  host.loop.run();
  put(node("n4"));
  controller->run();
  EXPECT_EQ(range("n3"), "10.0.6.0/24");  // the first goes apart
  EXPECT_EQ(range("n4"), "10.0.2.0/24");
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(TakeoverTest, WhatTheWatchHasNotShownYetIsNotGivenAway) {
  put(node("n1", {"10.0.0.0/24"}));
  put(node("n2"));
  put(node("n3"));
  start();
  host.loop.run();
  host.kube.set_cache_follows(false);
  put(node("p1", {"10.0.1.0/24"}));  // the former leader's last writes
  put(node("p2", {"10.0.2.0/24"}));
  const auto before = controller->start_reconcile(controller->component.ctx(), {"n2"});
  host.loop.run();
  EXPECT_EQ(range("n2"), "10.0.4.0/24");
  const auto second = controller->start_reconcile(controller->component.ctx(), {"n3"});
  host.loop.advance(milliseconds(1'000));
  EXPECT_FALSE(before.done());
  EXPECT_FALSE(second.done());
  EXPECT_TRUE(ranges("n3").empty());
  host.kube.set_cache_follows(true);
  host.kube.catch_up();
  host.loop.advance(milliseconds(200));
  EXPECT_TRUE(before.done());
  EXPECT_TRUE(second.done());
  EXPECT_EQ(range("n3"), "10.0.3.0/24");
}

TEST_F(TakeoverTest, AWatchThatDoesNotCatchUpIsToldAndWaitedFor) {
  put(node("n1"));
  put(node("n2"));
  start();
  host.loop.run();
  host.kube.set_cache_follows(false);
  controller->run();
  EXPECT_TRUE(ranges("n1").empty() != ranges("n2").empty());
  EXPECT_TRUE(host.log.contains("The watch of nodes lags"));
  host.kube.set_cache_follows(true);
  host.kube.catch_up();
  controller->advance(milliseconds(2'000));
  EXPECT_EQ(ranges("n1").size() + ranges("n2").size(), 2U);
  EXPECT_NE(range("n1"), range("n2"));
}

}  // namespace
}  // namespace ccm::ipam

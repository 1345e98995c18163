// The ranges of Nodes, their order and time, and the reports when the pool is full.
#include "ipam_fixture.hpp"

#include <set>

namespace ccm::ipam {
namespace {

class AllocationTest : public IpamTest {};

TEST_F(AllocationTest, IPAM_21_32_BlocksFromTheBaseInOrder) {
  put(node("n1"));
  start();
  controller->run();
  EXPECT_EQ(ranges("n1"), Texts{"10.244.0.0/24"});
  EXPECT_EQ(take_calls(), Texts{"patch"});
  put(node("n2"));
  put(node("n3"));
  controller->run();
  EXPECT_EQ(range("n2"), "10.244.1.0/24");
  EXPECT_EQ(range("n3"), "10.244.2.0/24");
  EXPECT_TRUE(event_reasons().empty());
}

TEST_F(AllocationTest, IPAM_28_32_TheQueueAndTheWatch) {
  start();
  EXPECT_EQ(controller->workers(), 32U);
  ASSERT_EQ(controller->watches().size(), 1U);
  EXPECT_EQ(controller->watches()[0].resource, "v1/nodes");
}

TEST_F(AllocationTest, IPAM_10_29_DualStack) {
  pools("10.244.0.0/16,fd00:10::/48");
  put(node("n1"));
  start();
  controller->run();
  EXPECT_EQ(ranges("n1"), (Texts{"10.244.0.0/24", "fd00:10::/64"}));
}

TEST_F(AllocationTest, IPAM_10_29_DualStackInTheOtherOrder) {
  pools("fd00:10::/48,10.244.0.0/16");
  put(node("n1"));
  start();
  controller->run();
  EXPECT_EQ(ranges("n1"), (Texts{"fd00:10::/64", "10.244.0.0/24"}));
}

TEST_F(AllocationTest, IPAM_29_NodesThatLeaveOrHaveRangesAreLeftAlone) {
  Json leaving = node("leaving");
  leaving["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  put(leaving);
  put(node("done", {"10.244.9.0/24"}));
  start();
  controller->run();
  EXPECT_TRUE(take_calls().empty());
  EXPECT_TRUE(controller->waiting().empty());
}

TEST_F(AllocationTest, AHeartbeatIsNoWork) {
  put(node("n1", {"10.244.0.0/24"}));
  start();
  controller->run();
  controller->take_reconciled();
  Json beat = Json::parse(host.kube.stored("v1/nodes", "n1"));
  beat["status"] = {{"heartbeat", 1}};
  put(beat);
  host.kube.resync();
  controller->run();
  EXPECT_TRUE(controller->take_reconciled().empty());
}

TEST_F(AllocationTest, ManyAreUnderWayAtOnceAndEachGetsItsOwn) {
  start();
  put(node("first"));
  controller->run();
  for (int i = 0; i < 200; ++i) put(node("n" + std::to_string(i)));
  controller->run();
  EXPECT_EQ(controller->most_at_once(), 32U);
  std::set<std::string> all;
  for (int i = 0; i < 200; ++i) all.insert(range("n" + std::to_string(i)));
  EXPECT_EQ(all.size(), 200U);
  EXPECT_FALSE(all.contains(""));
  EXPECT_EQ(host.kube.calls().size(), 201U);  // one patch a Node, no reads
}

TEST_F(AllocationTest, IPAM_21_AFreedBlockIsNotUsedAgainAtOnce) {
  pools("10.0.0.0/22");
  put(node("n1"));
  start();
  controller->run();
  put(node("n2"));
  controller->run();
  remove("n1");
  put(node("n3"));
  controller->run();
  EXPECT_EQ(range("n3"), "10.0.2.0/24");
  put(node("n4"));
  put(node("n5"));
  controller->run();
  EXPECT_EQ(range("n4"), "10.0.3.0/24");
  EXPECT_EQ(range("n5"), "10.0.0.0/24");
}

class ExhaustionTest : public IpamTest {
 protected:
  // Four blocks, six Nodes.
  void fill() {
    pools("10.0.0.0/22");
    for (int i = 1; i <= 6; ++i) put(node("n" + std::to_string(i)));
    start();
    controller->run();
  }
  [[nodiscard]] Texts without_range() const {
    Texts names;
    for (int i = 1; i <= 6; ++i) {
      const std::string name = "n" + std::to_string(i);
      if (ranges(name).empty()) names.push_back(name);
    }
    return names;
  }
};

TEST_F(ExhaustionTest, IPAM_30_ToldOnEachNodeThatWaits) {
  fill();
  EXPECT_EQ(without_range(), (Texts{"n5", "n6"}));
  EXPECT_EQ(event_reasons(), (Texts{"Normal CIDRNotAvailable", "Normal CIDRNotAvailable"}));
  const auto event = host.events.all()[0];
  EXPECT_EQ(event.object, "n5");
  EXPECT_NE(event.message.find("Node n5 status is now: CIDRNotAvailable"), std::string::npos);
  EXPECT_NE(event.message.find("10.0.0.0/22"), std::string::npos);
  EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", "10.0.0.0/22"), 1);
  controller->advance(milliseconds(60'000));
  EXPECT_EQ(host.events.all().size(), 2U);
  controller->advance(milliseconds(300'000));
  EXPECT_EQ(host.events.all().size(), 4U);
  EXPECT_EQ(host.kube.calls().size(), 4U);  // who waits asks the API server nothing
}

TEST_F(ExhaustionTest, IPAM_36_AFreedBlockWakesOneThatWaits) {
  fill();
  remove("n2");
  controller->run();  // the clock stands still
  EXPECT_EQ(without_range(), (Texts{"n6"}));
  EXPECT_EQ(range("n5"), "10.0.1.0/24");
  remove("n5");
  remove("n1");
  controller->run();
  EXPECT_EQ(range("n6"), "10.0.0.0/24");
  EXPECT_TRUE(controller->waiting().empty());
}

TEST_F(ExhaustionTest, ABlockFreedWithoutAnEventIsFoundSoon) {
  fill();
  host.kube.fail_next("patch", "v1/nodes", Status(Code::permission_denied, ErrorClass::auth, "no"));
  remove("n2");
  controller->run();
  EXPECT_EQ(without_range().size(), 2U);
  controller->advance(milliseconds(10'000));
  EXPECT_EQ(without_range().size(), 1U);
}

TEST_F(ExhaustionTest, TRAP_21_AFullFamilyCostsTheOtherNothing) {
  pools("10.0.0.0/22,fd00::/62");
  host.config.set_flag("node-cidr-mask-size-ipv6", "63");  // two blocks
  for (int i = 1; i <= 4; ++i) put(node("n" + std::to_string(i)));
  start();
  controller->run();
  controller->advance(milliseconds(300'000));
  EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", "10.0.0.0/22"), 0.5);
  EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", "fd00::/62"), 1);
  EXPECT_TRUE(ranges("n3").empty());
  remove("n1");
  remove("n2");
  controller->run();
  EXPECT_EQ(ranges("n3").size(), 2U);
  EXPECT_EQ(ranges("n4").size(), 2U);
  EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", "10.0.0.0/22"), 0.5);
}

TEST_F(AllocationTest, MET_9_to_13_UpstreamsMetrics) {
  pools("10.0.0.0/22");
  put(node("taken", {"10.0.0.0/24"}));
  start();
  controller->run();
  const auto tries = host.metrics.find("node_ipam_controller_cidrset_allocation_tries_per_request");
  ASSERT_TRUE(tries);
  EXPECT_EQ(tries->buckets, (std::vector<double>{1, 5, 25, 125, 625}));
  EXPECT_EQ(tries->labels, Texts{"clusterCIDR"});
  EXPECT_EQ(gauge("node_ipam_controller_cirdset_max_cidrs", "10.0.0.0/22"), 4);
  EXPECT_EQ(sum("node_ipam_controller_cidrset_cidrs_allocations_total", "10.0.0.0/22"), 1);
  put(node("n1"));
  controller->run();
  EXPECT_EQ(sum("node_ipam_controller_cidrset_cidrs_allocations_total", "10.0.0.0/22"), 2);
  EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", "10.0.0.0/22"), 0.5);
  remove("n1");
  remove("taken");
  controller->run();
  EXPECT_EQ(sum("node_ipam_controller_cidrset_cidrs_releases_total", "10.0.0.0/22"), 2);
  EXPECT_EQ(gauge("node_ipam_controller_cidrset_usage_cidrs", "10.0.0.0/22"), 0);
}

}  // namespace
}  // namespace ccm::ipam

// How many calls a new Network Load Balancer costs, and what is left out safely to that end.
#include "fixture.hpp"

namespace ccm::aws {
namespace {

TEST_F(AwsLoadBalancersTest, AWS_105_ANewOneWithTwoPortsCostsTenCallsAndNothingOnceMore) {
  ensured(with(web({8080}), {{"type", "nlb"}}));  // what all Services share is known
  (void)remove(nlb({8080}));
  cloud.clear_log();
  ensured(nlb({80, 443}));
  EXPECT_LE(cloud.writes() + cloud.reads(), 10) << cloud.reads() << " reads";
  EXPECT_EQ(cloud.writes(), 8);
  cloud.clear_log();
  EXPECT_EQ(ensured(nlb({80, 443})).difference, "");
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_EQ(difference(nlb({80, 443})), "");
  start();
  EXPECT_EQ(difference(nlb({80, 443})), "");
  EXPECT_EQ(ensured(nlb({80, 443})).difference, "");
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(AwsLoadBalancersTest, Issue43_ANewOneAfterMinutesOfNothingCostsTenCalls) {
  ensured(with(web({8080}), {{"type", "nlb"}}));
  (void)remove(nlb({8080}));
  advance(seconds(300));
  cloud.clear_log();
  ensured(nlb({80, 443}));
  EXPECT_LE(cloud.writes() + cloud.reads(), 10) << ::testing::PrintToString(cloud.journal);
  advance(seconds(400));
  ensured(nlb({80, 443}));
  EXPECT_EQ(cloud.count("DescribeSubnets"), 1);
}

TEST_F(AwsLoadBalancersTest, Issue43_ANewOneAnHourAfterTheLastCostsTenCalls) {
  ensured(with(web({8080}), {{"type", "nlb"}}));
  (void)remove(nlb({8080}));
  advance(seconds(3'600));
  cloud.clear_log();
  cloud.journal.clear();
  const auto service = nlb({80, 443});
  EXPECT_EQ(observe(service)->state, LoadBalancerState::absent);
  ensured(service);
  EXPECT_EQ(cloud.writes(), 8);
  EXPECT_EQ(cloud.reads(), 2) << ::testing::PrintToString(cloud.journal);
}

// What AWS refuses one Service says nothing of what others know.
TEST_F(AwsLoadBalancersTest, ARefusalCostsNoListings) {
  ensured(nlb());
  ensured(with(web({8080}), {{"type", "nlb"}}));
  ensured(nlb());
  int uid = 1;
  const auto reads_of_a_new_one = [&] {
    auto another = web();
    another.name = "another" + std::to_string(uid);
    another.uid = std::to_string(uid++) + kUid.substr(1);
    cloud.clear_log();
    ensured(with(another, {{"type", "nlb"}}));
    return cloud.reads();
  };
  (void)reads_of_a_new_one();
  for (const char* code : {"AccessDenied", "TooManyTargetGroups", "InvalidConfigurationRequest"}) {
    fail("CreateTargetGroup", code);
    EXPECT_FALSE(ensure(nlb({80, 81})).ok()) << code;
    EXPECT_EQ(reads_of_a_new_one(), 0) << code;
  }
  fail("CreateTargetGroup", "ResourceInUse");
  EXPECT_FALSE(ensure(nlb({80, 81})).ok());
  EXPECT_GE(reads_of_a_new_one(), 4);
  auto refused_one = web();
  refused_one.uid = "f" + kUid.substr(1);
  fail("CreateLoadBalancer", "InvalidSubnet");
  EXPECT_FALSE(ensure(with(refused_one, {{"type", "nlb"}})).ok());
  EXPECT_GE(reads_of_a_new_one(), 4) << "the listings that it was made by may be a day old";
}

// What an old listing does not have is asked of AWS by the creation itself.
TEST_F(AwsLoadBalancersTest, Issue43_OneThatSomebodyMadeMeanwhileIsFound) {
  ensured(with(web({8080}), {{"type", "nlb"}}));
  const auto made = cloud.networks;
  (void)remove(nlb({8080}));
  cloud.networks = made;  // by a manager that led in between, say
  network().subnets.pop_back();
  advance(seconds(3'600));
  const auto refusal = ensure(nlb());
  EXPECT_EQ(refusal.status().reason(), "DuplicateLoadBalancerName");
  EXPECT_EQ(refusal.status().error_class(), ErrorClass::waiting);
  ensured(nlb());
  EXPECT_EQ(cloud.networks.size(), 1U);
  EXPECT_EQ(cloud.listeners.size(), 1U);
}

TEST_F(AwsLoadBalancersTest, Issue43_WhatANewOneNeedsAndNoListingHasIsReadAgain) {
  ensured(with(web({8080}), {{"type", "nlb"}}));
  (void)remove(nlb({8080}));
  advance(seconds(3'600));
  cloud.groups["sg-00000000000000ddd"] = {
      "nodes2", "", {{"kubernetes.io/cluster/c1", "owned"}}, {}};
  for (auto& [id, one] : cloud.instances) one.groups = {"sg-00000000000000ddd"};
  cloud.subnets["subnet-pub-c"] = {"us-east-1c", "10.0.2.0/24", "", {}, true};
  ensured(nlb());
  EXPECT_FALSE(cloud.groups["sg-00000000000000ddd"].rules.empty());
  EXPECT_EQ(network().subnets.size(), 3U) << "a subnet that comes has its route table read, too";
}

}  // namespace
}  // namespace ccm::aws

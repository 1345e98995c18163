// Security groups of the user's in front of several load balancers: the Nodes have one rule for
// all.
#include "fixture.hpp"

namespace ccm::aws {
namespace {

class AwsSharedGroupsTest : public AwsLoadBalancersTest {
 protected:
  static LoadBalancerService second_of(LoadBalancerService service) {
    service.name = "second";
    service.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
    for (ServicePort& port : service.ports) port.node_port += 1'000;
    return service;
  }
  LoadBalancerService second(const Annotated& annotations) {
    return with(second_of(web()), annotations);
  }
  bool open_to(const std::string& group) {
    return rules(kNodes).find("-1 -1--1 " + group) != std::string::npos;
  }

  const Annotated network_{{"type", "nlb"}, {"security-groups", kOther}};
  const Annotated classic_{{"security-groups", kOther}};
};

TEST_F(AwsSharedGroupsTest, AWS_111_TheLastNetworkLoadBalancerTakesTheRuleAlong) {
  ensured(with(web(), network_));
  ensured(second(network_));
  EXPECT_TRUE(remove(with(web(), network_)).ok());
  EXPECT_TRUE(open_to(kOther)) << "the second one is reached by it";
  EXPECT_EQ(difference(second(network_)), "");
  EXPECT_TRUE(remove(second(network_)).ok());
  expect_nothing_left();
}

TEST_F(AwsSharedGroupsTest, AWS_92_111_BothKindsShareTheRule) {
  for (const bool network_first : {true, false}) {
    const auto network = with(web(), network_);
    const auto classic = second(classic_);
    ensured(network_first ? network : classic);
    ensured(network_first ? classic : network);
    EXPECT_TRUE(remove(network_first ? network : classic).ok());
    EXPECT_TRUE(open_to(kOther));
    EXPECT_TRUE(remove(network_first ? classic : network).ok());
    expect_nothing_left();
  }
}

TEST_F(AwsSharedGroupsTest, AWS_112_ANetworkLoadBalancerThatGetsAnotherGroupLeavesTheRuleToOthers) {
  const std::string third = "sg-00000000000000ddd";
  cloud.groups[third] = {"sg-third", "third", {}, {}};
  const Annotated moved{{"type", "nlb"}, {"security-groups", third}};
  ensured(with(web(), network_));
  ensured(second(classic_));
  ensured(with(web(), moved));
  EXPECT_TRUE(open_to(kOther) && open_to(third)) << rules(kNodes);
  EXPECT_EQ(difference(second(classic_)), "");
  EXPECT_TRUE(remove(second(classic_)).ok());
  EXPECT_FALSE(open_to(kOther)) << "the rule bore the mark of the first one";
  ensured(with(web(), network_));
  EXPECT_TRUE(open_to(kOther) && !open_to(third)) << rules(kNodes);
  EXPECT_TRUE(remove(with(web(), network_)).ok());
  cloud.groups.erase(third);
  expect_nothing_left();
}

// A database that is open to the same group: its rule looks like a classic load balancer's.
TEST_F(AwsSharedGroupsTest, AWS_92_111_RulesOfAGroupThatIsNotTheClustersStay) {
  const std::string database = "sg-00000000000000eee";
  for (const Annotated& annotations : {classic_, network_}) {
    ensured(with(web(), classic_));
    cloud.groups[database] = {"database", "database", {}, cloud.groups[kNodes].rules};
    const std::string before = rules(database);
    ASSERT_NE(before, "");
    EXPECT_TRUE(remove(with(web(), classic_)).ok());
    ensured(with(web(), annotations));
    EXPECT_TRUE(remove(with(web(), annotations)).ok());
    EXPECT_EQ(rules(database), before);
    cloud.groups.erase(database);
    expect_nothing_left();
  }
}

TEST_F(AwsSharedGroupsTest, AWS_92_111_TwoThatGoAtOnceLeaveNoRule) {
  const auto first = with(web(), network_);
  for (const Annotated& annotations : {network_, classic_}) {
    ensured(first);
    ensured(second(annotations));
    latency = std::chrono::milliseconds(50);
    const auto table = component->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
    auto one =
        component->start("remove", ccm::LoadBalancers::Remove{table, component->ctx(), first});
    auto other = component->start(
        "remove", ccm::LoadBalancers::Remove{table, component->ctx(), second(annotations)});
    EXPECT_TRUE(component->finish(std::move(one)).ok());
    EXPECT_TRUE(component->finish(std::move(other)).ok());
    latency = std::chrono::milliseconds(0);
    expect_nothing_left();
  }
}

TEST_F(AwsSharedGroupsTest, AWS_95_OneThatComesBackHasItsRuleAgain) {
  ensured(with(web(), network_));
  ensured(second(classic_));
  fail("DeleteLoadBalancer", "InternalFailure", 500);
  cloud.faults.back().count = 5;
  EXPECT_FALSE(remove(with(web(), network_)).ok());
  cloud.faults.clear();
  ensured(with(web(), network_));
  EXPECT_TRUE(remove(second(classic_)).ok());
  EXPECT_TRUE(open_to(kOther));
  EXPECT_TRUE(remove(with(web(), network_)).ok());
  expect_nothing_left();
}

TEST_F(AwsSharedGroupsTest, ARuleWithADescriptionOfSomebodyElseStays) {
  const aws_api::Permission by_hand{"-1", -1, -1, kOther, "for the bastion"};
  cloud.groups[kNodes].rules[by_hand.key()] = by_hand;
  start();
  ensured(with(web(), classic_));
  EXPECT_TRUE(remove(with(web(), classic_)).ok());
  EXPECT_TRUE(open_to(kOther));
}

}  // namespace
}  // namespace ccm::aws

// Security groups of the user's in front of several load balancers: the Nodes have one rule for the
// path MTU of all, and rules for the ports of each.
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
    return rules(kNodes).find("icmp 3-4 " + group) != std::string::npos;
  }
  void write_by_hand(const aws_api::Permission& rule) {
    cloud.groups[kNodes].rules[rule.key()] = rule;
    start();
  }

  // Both Services were given kOther, and the rules that both need bear the mark of the first one.
  struct Pair {
    LoadBalancerService moved;  // the first one, which is to get a group of its own
    LoadBalancerService other;
  };
  void start_with_managed_groups() {
    Settings settings;
    settings.nlb_security_group_mode = "Managed";
    start_with(settings);
  }
  Pair pair_before_the_move(Annotated annotations) {
    annotations["healthcheck-port"] = "10256";
    const auto other = second(annotations);
    ensured(with(web(), annotations));
    ensured(other);
    annotations.erase("security-groups");
    return {with(web(), annotations), other};
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

// The Service is deleted while AWS refuses, and its finalizer is taken away by hand.
TEST_F(AwsSharedGroupsTest, AWS_95_OneWhoseDeletionFailedForGoodCountsAgain) {
  for (const Annotated& annotations : {network_, classic_}) {
    const auto first = with(web(), annotations);
    ensured(first);
    ensured(second(classic_));
    fail("DeleteLoadBalancer", "InternalFailure", 500);
    cloud.faults.back().count = 5;
    EXPECT_FALSE(remove(first).ok());
    cloud.faults.clear();
    ensured(second(classic_));
    EXPECT_TRUE(remove(second(classic_)).ok());
    EXPECT_TRUE(open_to(kOther)) << "the first one is still there";
    EXPECT_TRUE(remove(first).ok());
    expect_nothing_left();
  }
}

TEST_F(AwsSharedGroupsTest, AWS_117_LoadBalancersOfOthersDoNotKeepARuleOfTheClustersOwnNodes) {
  aws_api::Network by_hand;
  by_hand.name = "by-hand";
  by_hand.groups = {kOther};
  aws_api::Classic of_c2;
  of_c2.groups = {kOther};
  of_c2.tags = {{"kubernetes.io/cluster/c2", "owned"}};
  for (const Annotated& annotations : {network_, classic_}) {
    cloud.networks["arn:by-hand"] = by_hand;
    cloud.classics["of-c2"] = of_c2;
    start();
    ensured(with(web(), annotations));
    EXPECT_TRUE(remove(with(web(), annotations)).ok());
    cloud.networks.erase("arn:by-hand");
    cloud.classics.erase("of-c2");
    expect_nothing_left();
  }
}

TEST_F(AwsSharedGroupsTest, AWS_117_RulesStayInAGroupThatTwoClustersShareOrThatNobodyHasTagged) {
  aws_api::Network of_c2;
  of_c2.name = "of-c2";
  of_c2.groups = {kOther};
  of_c2.tags = {{"kubernetes.io/cluster/c2", "owned"}};
  cloud.networks["arn:of-c2"] = of_c2;
  for (const bool shared : {true, false}) {
    auto& tags = cloud.groups[kNodes].tags;
    tags.clear();
    if (shared) tags = {{"kubernetes.io/cluster/c1", "shared"}, {"KubernetesCluster", "c2"}};
    start();
    ensured(with(web(), network_));
    EXPECT_TRUE(remove(with(web(), network_)).ok());
    EXPECT_EQ(rules(kNodes), rules_from(kOther)) << "c2 may be reached by them";
    cloud.groups[kNodes].rules.clear();
  }
}

TEST_F(AwsSharedGroupsTest, AWS_117_TheNodesOfAnotherClusterAreLeftAlone) {
  const std::string theirs = "sg-00000000000000eee";
  const aws_api::Permission rule{"-1", -1, -1, kOther, "kubernetes.io/rule/nlb/client=aofc2"};
  cloud.groups[theirs] = {"c2", "c2", {{"kubernetes.io/cluster/c2", "owned"}}, {}};
  cloud.groups[theirs].rules[rule.key()] = rule;
  start();
  ensured(with(web(), network_));
  EXPECT_TRUE(remove(with(web(), network_)).ok());
  EXPECT_EQ(cloud.groups[theirs].rules.size(), 1U);
  cloud.groups.erase(theirs);
  expect_nothing_left();
}

// Nodes of this cluster in a group that bears another one's tag alone.
TEST_F(AwsSharedGroupsTest, AWS_117_RulesStayInAGroupThatIsAnotherClustersAlone) {
  aws_api::Network of_c2;
  of_c2.name = "of-c2";
  of_c2.groups = {kOther};
  of_c2.tags = {{"kubernetes.io/cluster/c2", "owned"}};
  cloud.networks["arn:of-c2"] = of_c2;
  cloud.groups[kNodes].tags = {{"kubernetes.io/cluster/c2", "owned"}};
  start();
  ensured(with(web(), network_));
  ensured(second(network_));
  EXPECT_TRUE(remove(with(web(), network_)).ok());
  EXPECT_NE(rules(kNodes).find("tcp 30080-30080 " + kOther), std::string::npos) << rules(kNodes);
  EXPECT_TRUE(open_to(kOther));
}

TEST_F(AwsSharedGroupsTest, ARuleWithADescriptionOfSomebodyElseStays) {
  write_by_hand({"-1", -1, -1, kOther, "for the bastion"});
  const std::string before = rules(kNodes);
  ensured(with(web(), classic_));
  EXPECT_TRUE(remove(with(web(), classic_)).ok());
  EXPECT_EQ(rules(kNodes), before);
}

// Whoever may write a Service may name any group of the VPC, and so who else reaches the Nodes.
TEST_F(AwsSharedGroupsTest, AWS_92_113_AServiceThatNamesAGroupOpensItsPortsAlone) {
  for (Annotated annotations : {network_, classic_}) {
    ensured(with(web(), annotations));
    EXPECT_EQ(rules(kNodes), rules_from(kOther));
    EXPECT_EQ(rules(kOther), "") << "that group is its owner's";
    annotations["healthcheck-port"] = "10256";
    ensured(with(web(), annotations));
    EXPECT_NE(rules(kNodes).find("tcp 10256-10256 " + kOther + " (kubernetes.io/rule/nlb/health="),
              std::string::npos)
        << rules(kNodes);
    EXPECT_EQ(difference(with(web(), annotations)), "");
    EXPECT_TRUE(remove(with(web(), annotations)).ok());
    expect_nothing_left();
  }
}

// The annotation may name the port of sshd or of the kubelet.
TEST_F(AwsSharedGroupsTest, AWS_109_113_ChecksOpenNoPortOfTheNodesThatIsNotTheServices) {
  const Annotated without{{"type", "nlb"}};
  for (Annotated annotations : {without, network_, classic_}) {
    const std::size_t told = events("HealthCheckPortNotOpened").size();
    annotations["healthcheck-port"] = "22";
    auto service = with(web(), annotations);
    ensured(service);
    EXPECT_EQ(rules(kNodes).find("tcp 22-22"), std::string::npos) << rules(kNodes);
    EXPECT_EQ(events("HealthCheckPortNotOpened").size(), told + 1);
    EXPECT_EQ(difference(service), "");
    annotations["healthcheck-port"] = "30081";
    service = with(web({80, 81}), annotations);
    service.source_ranges = {"192.0.2.0/24"};
    ensured(service);
    EXPECT_NE(rules(kNodes).find("tcp 30081-30081"), std::string::npos) << rules(kNodes);
    EXPECT_EQ(events("HealthCheckPortNotOpened").size(), told + 1);
    EXPECT_TRUE(remove(service).ok());
    expect_nothing_left();
  }
}

TEST_F(AwsSharedGroupsTest, AWS_109_AGroupOfItsOwnNeedsNoPortForChecks) {
  start_with_managed_groups();
  for (const char* type : {"nlb", ""}) {
    const auto service = with(web(), {{"type", type}, {"healthcheck-port", "9000"}});
    ensured(service);
    EXPECT_TRUE(events("HealthCheckPortNotOpened").empty());
    EXPECT_TRUE(remove(service).ok());
  }
}

TEST_F(AwsSharedGroupsTest, AWS_92_RulesThatSomebodyWroteForAGroupOutliveTheServiceThatNamesIt) {
  write_by_hand({"-1", -1, -1, kOther, ""});
  write_by_hand({"tcp", 22, 22, kOther, ""});
  const std::string before = rules(kNodes);
  for (const Annotated& annotations : {network_, classic_}) {
    ensured(with(web(), annotations));
    ensured(with(web(), {{"type", annotations.contains("type") ? "nlb" : ""}}));
    ensured(with(web(), annotations));
    EXPECT_TRUE(remove(with(web(), annotations)).ok());
    EXPECT_EQ(rules(kNodes), before);
    for (const auto& [id, group] : std::map(cloud.groups)) {
      if (group.name.starts_with("k8s-")) cloud.groups.erase(id);
    }
  }
}

// The first one wrote the rule for the checks of both.
TEST_F(AwsSharedGroupsTest, AWS_109_ChecksOfTheOtherOneStay) {
  Annotated checked = classic_;
  checked["healthcheck-port"] = "10256";
  ensured(with(web(), checked));
  ensured(second(checked));
  EXPECT_TRUE(remove(with(web(), checked)).ok());
  EXPECT_EQ(difference(second(checked)), "");
  EXPECT_TRUE(remove(second(checked)).ok());
  expect_nothing_left();
}

TEST_F(AwsSharedGroupsTest, AWS_109_ATryThatFailsKeepsWhoSharesTheCheckFromNoLook) {
  const Annotated checked{{"type", "nlb"}, {"healthcheck-port", "10256"}};
  auto first = with(web(), checked);
  auto other = second(checked);
  first.source_ranges = other.source_ranges = {"192.0.2.0/24"};
  ensured(first);
  ensured(other);
  start();
  fail("DescribeTargetGroups", "AccessDenied", 403);
  EXPECT_FALSE(remove(first).ok());
  EXPECT_TRUE(remove(first).ok());
  ASSERT_EQ(host.hints.all().size(), 1U);
  EXPECT_EQ(host.hints.all()[0].name, "second");
}

// The first one, which wrote the rules that both need, gets a group of its own.
TEST_F(AwsSharedGroupsTest, AWS_92_109_RulesThatOthersNeedOutlastTheMoveOfWhoWroteThem) {
  start_with_managed_groups();
  for (const Annotated& annotations : {network_, classic_}) {
    const auto [moved, other] = pair_before_the_move(annotations);
    ensured(moved);
    const std::string before = rules(kNodes);
    EXPECT_EQ(difference(moved), "");
    EXPECT_TRUE(update(moved, nodes()).ok());
    EXPECT_EQ(rules(kNodes), before);
    EXPECT_EQ(difference(other), "");
    EXPECT_TRUE(remove(moved).ok());
    EXPECT_EQ(difference(other), "");
    EXPECT_TRUE(remove(other).ok());
    expect_nothing_left();
  }
}

TEST_F(AwsSharedGroupsTest, AWS_92_109_RulesThatOthersNeedOutlastAMoveThatWasBroken) {
  start_with_managed_groups();
  for (const Annotated& annotations : {network_, classic_}) {
    const auto [moved, other] = pair_before_the_move(annotations);
    fail("RevokeSecurityGroupIngress", "InternalFailure", 500);
    cloud.faults.back().count = 5;
    EXPECT_FALSE(ensure(moved).ok());
    cloud.faults.clear();
    start();
    ensured(moved);
    EXPECT_EQ(difference(moved), "");
    EXPECT_EQ(difference(other), "");
    EXPECT_TRUE(remove(moved).ok());
    EXPECT_TRUE(remove(other).ok());
    expect_nothing_left();
  }
}

}  // namespace
}  // namespace ccm::aws

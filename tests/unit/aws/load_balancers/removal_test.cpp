// Deletion: nothing is left, whatever the annotations say by then, and whatever fails between.
#include "fixture.hpp"

namespace ccm::aws {
namespace {

class AwsRemovalTest : public AwsLoadBalancersTest {
 protected:
  // As the controller: again while it has to wait.
  bool removed(const LoadBalancerService& service) {
    for (int i = 0; i < 20; ++i) {
      if (remove(service).ok()) return true;
      advance(seconds(5));
    }
    return false;
  }
};

TEST_F(AwsRemovalTest, AWS_95_114_NothingIsLeftOfEither) {
  ensured(nlb({80, 443}));
  EXPECT_TRUE(remove(nlb({80, 443})).ok());
  expect_nothing_left();
  ensured(with(web(), {}));
  EXPECT_TRUE(removed(with(web(), {})));
  expect_nothing_left();
  EXPECT_TRUE(remove(nlb()).ok());  // there is none
}

TEST_F(AwsRemovalTest, AWS_66_139_TheAnnotationsOfThatMomentDoNotCount) {
  ensured(nlb());
  auto bare = web({});
  EXPECT_TRUE(remove(with(bare, {})).ok());
  expect_nothing_left();
  ensured(with(web(), {}));
  EXPECT_TRUE(removed(with(web(), {{"type", "nlb"}})));
  expect_nothing_left();
  ensured(nlb());
  EXPECT_TRUE(remove(with(web(), {{"type", "external"}, {"internal", "x"}})).ok());
  expect_nothing_left();
}

TEST_F(AwsRemovalTest, AWS_17_95_AGroupWithTheOldTagAloneGoes) {
  ensured(with(web(), {}));
  for (auto& [id, group] : cloud.groups) {
    if (group.name.starts_with("k8s-elb-")) group.tags = {{"KubernetesCluster", "c1"}};
  }
  advance(seconds(600));
  EXPECT_TRUE(removed(with(web(), {})));
  expect_nothing_left();
}

TEST_F(AwsRemovalTest, AWS_139_OneOfEachKindGoes) {
  ensured(nlb());
  const auto network = cloud.networks;
  const auto targets = cloud.targets;
  const auto listeners = cloud.listeners;
  EXPECT_TRUE(remove(nlb()).ok());
  start();
  ensured(with(web(), {}));
  cloud.networks = network;
  cloud.targets = targets;
  cloud.listeners = listeners;
  EXPECT_TRUE(removed(with(web(), {})));
  expect_nothing_left();
}

TEST_F(AwsRemovalTest, AWS_140_TheGroupOfABalancerThatWasNeverMadeGoes) {
  fail("CreateLoadBalancer", "CertificateNotFound");
  EXPECT_FALSE(ensure(with(web(), {})).ok());
  EXPECT_EQ(cloud.groups.size(), 3U);
  EXPECT_TRUE(remove(with(web(), {})).ok());
  expect_nothing_left();
}

TEST_F(AwsRemovalTest, AWS_110_141_RulesInGroupsWithoutATagGo) {
  for (int i = 1; i <= 3; ++i) cloud.instances[instance(i)].groups = {kOther};
  ensured(nlb());
  EXPECT_NE(rules(kOther), "");
  EXPECT_TRUE(remove(nlb()).ok());
  expect_nothing_left();
  ensured(with(web(), {}));
  EXPECT_NE(rules(kOther), "");
  EXPECT_TRUE(removed(with(web(), {})));
  expect_nothing_left();
}

TEST_F(AwsRemovalTest, AWS_114_ABalancerThatIsGoneLeavesNothing) {
  ensured(nlb({80, 443}));
  cloud.networks.clear();
  cloud.listeners.clear();
  EXPECT_TRUE(remove(nlb()).ok());
  expect_nothing_left();
}

TEST_F(AwsRemovalTest, AWS_95_133_AGroupInUseIsWaitedForAndNobodyElse) {
  ensured(with(web(), {}));
  cloud.groups_in_use.insert(classic().groups[0]);
  const Status waiting = remove(with(web(), {}));
  EXPECT_EQ(waiting.error_class(), ErrorClass::waiting) << waiting.message();
  EXPECT_EQ(waiting.retry_after(), seconds(5));
  EXPECT_TRUE(cloud.classics.empty());
  cloud.groups_in_use.clear();
  EXPECT_TRUE(remove(with(web(), {})).ok());
  expect_nothing_left();
}

TEST_F(AwsRemovalTest, AWS_95_AGroupThatStaysInUseIsAskedForLessAndLess) {
  ensured(with(web(), {}));
  cloud.groups_in_use.insert(classic().groups[0]);
  for (const int pause : {5, 10, 20, 40, 80, 160, 300, 300}) {
    EXPECT_EQ(remove(with(web(), {})).retry_after(), seconds(pause));
    advance(seconds(pause));
  }
  cloud.groups_in_use.clear();
  EXPECT_TRUE(remove(with(web(), {})).ok());
  expect_nothing_left();
  ensured(with(web(), {}));
  cloud.groups_in_use.insert(classic().groups[0]);
  cloud.clear_log();
  EXPECT_EQ(remove(with(web(), {})).error_class(), ErrorClass::waiting);
  advance(seconds(5));
  EXPECT_EQ(remove(with(web(), {})).error_class(), ErrorClass::waiting);
  EXPECT_LE(cloud.count("DescribeTargetGroups"), 1) << "what waits tells nothing of listings";
}

TEST_F(AwsRemovalTest, AWS_168_NotFoundIsDone) {
  ensured(nlb({80, 443}));
  fail("DeleteTargetGroup", "TargetGroupNotFound");
  fail("DeleteLoadBalancer", "LoadBalancerNotFound", 400, true);
  EXPECT_TRUE(remove(nlb({80, 443})).ok());
  EXPECT_TRUE(cloud.networks.empty());
}

TEST_F(AwsRemovalTest, EachFailureIsGoneOnFrom) {
  for (const bool classic_one : {false, true}) {
    for (const std::string action :
         {"RevokeSecurityGroupIngress", "DeleteLoadBalancer", "DeleteTargetGroup",
          "DeleteSecurityGroup", "DescribeSecurityGroups", "DescribeLoadBalancers",
          "DescribeTargetGroups", "DescribeTags"}) {
      for (const bool after_effect : {false, true}) {
        start();
        const auto service = classic_one ? with(web(), {}) : nlb({80, 443});
        ensured(service);
        fail(action, "InternalFailure", 500, after_effect);
        cloud.faults.back().count = 3;
        (void)remove(service);
        cloud.faults.clear();
        start();  // and another process goes on
        EXPECT_TRUE(removed(service)) << action;
        expect_nothing_left();
      }
    }
  }
}

TEST_F(AwsRemovalTest, AWS_103_DeletionProtectionIsTold) {
  ensured(nlb({80}, {{"attributes", "deletion_protection.enabled=true"}}));
  const Status why = remove(nlb());
  EXPECT_FALSE(why.ok());
  EXPECT_NE(why.error_class(), ErrorClass::not_found);
  EXPECT_EQ(why.reason(), "OperationNotPermitted");
  EXPECT_EQ(cloud.networks.size(), 1U);
}

TEST_F(AwsRemovalTest, AWS_92_ARuleForAGroupThatAnotherBalancerHasStays) {
  const Annotated theirs{{"security-groups", kOther}};
  ensured(with(web(), theirs));
  auto second = web();
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  ensured(with(second, theirs));
  EXPECT_TRUE(remove(with(web(), theirs)).ok());
  EXPECT_EQ(rules(kNodes),
            "icmp 3-4 " + kOther + " (kubernetes.io/rule/nlb/client=" + kName + ")\n");
  EXPECT_TRUE(remove(with(second, theirs)).ok());
  expect_nothing_left();
}

// Each of them sees the other one's rules when it looks.
TEST_F(AwsRemovalTest, AWS_112_TwoThatGoAtOnceLeaveNoRuleForThePathMtu) {
  auto second = web({443});
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  second = with(second, {{"type", "nlb"}});
  ensured(nlb());
  ensured(second);
  const auto table = component->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  const auto begin = [&](const LoadBalancerService& service) {
    return component->start("remove", ccm::LoadBalancers::Remove{table, component->ctx(), service});
  };
  latency = std::chrono::milliseconds(50);
  const auto one = begin(nlb());
  const auto other = begin(second);
  EXPECT_TRUE(component->finish(one).ok());
  EXPECT_TRUE(component->finish(other).ok());
  expect_nothing_left();
}

TEST_F(AwsRemovalTest, DeletionsAtOnceDoNotAskForTheTagsOfWhatIsGone) {
  std::vector<LoadBalancerService> services;
  for (const char digit : {'3', '2', '1'}) {
    auto& one = services.emplace_back(with(web(), {}));
    one.name += digit;
    one.uid.front() = digit;
    ensured(one);
  }
  cloud.clear_log();
  latency = std::chrono::milliseconds(50);
  const auto table = component->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  std::vector<decltype(component->start(
      "", ccm::LoadBalancers::Remove{table, component->ctx(), services.front()}))>
      running;
  for (const auto& one : services) {
    running.push_back(
        component->start("remove", ccm::LoadBalancers::Remove{table, component->ctx(), one}));
  }
  for (auto& one : running) EXPECT_TRUE(component->finish(one).ok());
  EXPECT_LE(cloud.count("DescribeTags"), 1);  // those of all, once
  expect_nothing_left();
}

}  // namespace
}  // namespace ccm::aws

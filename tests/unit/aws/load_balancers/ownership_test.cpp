// Whose a load balancer is, the change of its kind, sharing, and what is left of Services.
#include "fixture.hpp"

#include <ccm/namespace_rules.hpp>

#include <algorithm>
#include <utility>

namespace ccm::aws {
namespace {

class AwsOwnershipTest : public AwsLoadBalancersTest {
 protected:
  LoadBalancerService guest(const std::string& namespace_name, const Annotated& more = {}) {
    auto service = web({81});
    service.name = "guest";
    service.namespace_name = namespace_name;
    service.uid = "2b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
    Annotated given = more;
    given.emplace("type", "nlb");
    service.id = cloud.networks.empty() ? "" : cloud.networks.begin()->first;
    return with(service, given);
  }
};

TEST_F(AwsOwnershipTest, AWS_117_TagsOfAnotherClusterOrServiceProveThatItIsTheirs) {
  ensured(nlb());
  const auto right = network().tags;
  for (const auto& [key, value] : aws_api::Tags{{"kubernetes.io/cluster/c1", ""},
                                                {"kubernetes.io/service-name", "other/web"}}) {
    network().tags = right;
    network().tags.erase(key);
    if (!value.empty()) network().tags[key] = value;
    start();
    EXPECT_EQ(ensure(nlb())->state, LoadBalancerState::foreign) << key;
    EXPECT_EQ(observe(nlb())->state, LoadBalancerState::foreign) << key;
    EXPECT_EQ(cloud.writes(), 0) << key;
    auto service = nlb();
    service.id = cloud.networks.begin()->first;
    // One of this cluster may be shared: who never joined leaves nothing.
    EXPECT_EQ(remove(service).reason(), value.empty() ? "NotOwned" : "") << key;
    EXPECT_EQ(cloud.networks.size(), 1U) << key;
    EXPECT_EQ(cloud.targets.size(), 1U) << key;
  }
}

TEST_F(AwsOwnershipTest, AWS_117_TheOnesOfANamesakeWithAnotherUidStay) {
  ensured(nlb());
  ensured(with(web(), {}));
  auto namesake = nlb();
  namesake.uid = "1" + kUid.substr(1);
  EXPECT_TRUE(remove(namesake).ok());
  EXPECT_EQ(cloud.networks.size(), 1U);
  EXPECT_EQ(cloud.classics.size(), 1U);
  namesake.id = cloud.networks.begin()->first;
  EXPECT_TRUE(remove(namesake).ok()) << "it has no part of it";
  EXPECT_EQ(cloud.networks.size(), 1U);
}

TEST_F(AwsOwnershipTest, AWS_117_AnIdThatAUserWroteProvesNothing) {
  ensured(nlb());
  auto thief = guest("elsewhere");
  thief.id = cloud.networks.begin()->first;
  host.kube.put("v1/services", nlb().object.json());
  const auto before = cloud.networks;
  EXPECT_EQ(ensure(thief).status().reason(), "LoadBalancerNotShared");
  EXPECT_TRUE(remove(thief).ok());
  EXPECT_EQ(cloud.networks.size(), before.size());
  EXPECT_EQ(cloud.listeners.size(), 1U);
}

TEST_F(AwsOwnershipTest, AWS_117_ANameThatAUserChoseDoesNotTakeAnothersBalancer) {
  ensured(nlb({80}, {{"name", "theirs"}}));
  auto thief = guest("elsewhere", {{"name", "theirs"}});
  thief.id.clear();
  EXPECT_EQ(ensure(thief)->state, LoadBalancerState::foreign);
  thief = guest("elsewhere", {{"name", kName}});
  thief.id.clear();
  EXPECT_EQ(refused(thief).error_class(), ErrorClass::invalid_spec);
}

TEST_F(AwsOwnershipTest, AWS_17_TheOldTagOfTheClusterCounts) {
  ensured(nlb());
  network().tags.erase("kubernetes.io/cluster/c1");
  network().tags["KubernetesCluster"] = "c1";
  start();
  EXPECT_EQ(difference(nlb()), "");
  EXPECT_TRUE(remove(nlb()).ok());
}

TEST_F(AwsOwnershipTest, AWS_64_65_138_AChangeOfTheKindKeepsTheOldOneUpToDate) {
  const auto made = ensured(nlb());
  auto service = with(web(), {}, "my-own-name.example");
  service.id = made.id;
  EXPECT_EQ(ensured(service).id, made.id);
  EXPECT_TRUE(cloud.classics.empty());
  EXPECT_EQ(events("TypeNotFollowed").size(), 1U);
  cloud.instances[instance(4)] = cloud.instances[instance(1)];
  ASSERT_TRUE(update(service, nodes(4)).ok());
  EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 4U);
}

TEST_F(AwsOwnershipTest, AWS_116_AnotherTypeOfThatNameIsNotOurs) {
  ensured(nlb());
  network().type = "application";
  start();
  EXPECT_NE(ensure(nlb()).status().message().find("could not be found"), std::string::npos);
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(AwsOwnershipTest, AWS_116_117_AnotherTypeThatAnAnnotationNamesHoldsUpNoDeletion) {
  aws_api::Network theirs;
  theirs.name = "their-alb";
  theirs.type = "application";
  cloud.networks["arn:aws:their-alb"] = theirs;
  auto named_by_id = nlb();
  named_by_id.id = "arn:aws:their-alb";
  EXPECT_EQ(ensure(named_by_id)->state, LoadBalancerState::foreign);
  EXPECT_TRUE(remove(named_by_id).ok());
  EXPECT_EQ(cloud.writes(), 0);
  const std::string own = ensured(nlb()).id;
  EXPECT_EQ(ensured(named_by_id).id, own);
  auto named = nlb({80}, {{"name", "their-alb"}});
  named.id = own;
  EXPECT_EQ(ensured(named).id, own);
  EXPECT_TRUE(remove(named).ok());
  EXPECT_EQ(cloud.networks.size(), 1U);
  EXPECT_TRUE(cloud.targets.empty());
}

TEST_F(AwsOwnershipTest, AWS_117_ANameAndAnIdThatAreEditedMakeNoSecondOne) {
  const auto made = ensured(nlb({80}, {{"name", "one"}}));
  EXPECT_EQ(ensured(nlb({80}, {{"name", "two"}})).id, made.id);
  EXPECT_EQ(ensured(with(web(), {{"type", "nlb"}}, "its.hostname.example")).id, made.id);
  start();
  EXPECT_EQ(ensured(nlb()).id, made.id);
  EXPECT_EQ(ensured(nlb({80}, {{"name", "three"}})).id, made.id);
  EXPECT_EQ(cloud.networks.size(), 1U);
  EXPECT_EQ(cloud.listeners.size(), 1U);
}

TEST_F(AwsOwnershipTest, AnAdministratorMayHaveOneTakenOver) {
  ensured(nlb({80}, {{"name", "older"}}));
  network().tags = {{"team", "a"}};
  cloud.groups[kNodes].rules.clear();
  start();
  auto service = with(web(), {{"type", "nlb"}});
  service.uid = "3b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  service.adopt_id = cloud.networks.begin()->first;
  ensured(service);
  EXPECT_EQ(network().tags["kubernetes.io/service-name"], "default/web");
  EXPECT_EQ(network().tags["cloud-controller-manager/service-uid"], service.uid);
  service.id = std::exchange(service.adopt_id, "");
  EXPECT_EQ(difference(service), "");
  EXPECT_TRUE(remove(service).ok());
  expect_nothing_left();
}

TEST_F(AwsOwnershipTest, Issue43_SharingNeedsConsentAcrossNamespaces) {
  auto owner = nlb();
  host.kube.put("v1/services", owner.object.json());
  ensured(owner);
  EXPECT_EQ(ensure(guest("elsewhere")).status().reason(), "LoadBalancerNotShared");
  EXPECT_EQ(cloud.listeners.size(), 1U);
  owner = nlb({80}, {{std::string(kShareAnnotation), "elsewhere"}});
  host.kube.put("v1/services", owner.object.json());
  const auto made = ensured(guest("elsewhere"));
  EXPECT_EQ(made.state, LoadBalancerState::shared);
  EXPECT_EQ(cloud.networks.size(), 1U);
  EXPECT_EQ(cloud.listeners.size(), 2U);
  EXPECT_EQ(difference(guest("elsewhere")), "");
  EXPECT_EQ(difference(owner), "");
  start();
  EXPECT_EQ(difference(guest("elsewhere")), "");
  EXPECT_EQ(difference(owner), "");
}

TEST_F(AwsOwnershipTest, Issue43_AGuestLeavesWithItsOwnPartsAndAnOwnerHandsOver) {
  auto owner = nlb();
  host.kube.put("v1/services", owner.object.json());
  ensured(owner);
  ensured(guest("default"));
  EXPECT_TRUE(remove(guest("default")).ok());
  EXPECT_EQ(cloud.listeners.size(), 1U);
  EXPECT_EQ(cloud.targets.size(), 1U);
  EXPECT_EQ(rules(kNodes).find("30081"), std::string::npos);
  EXPECT_NE(rules(kNodes).find("30080"), std::string::npos);
  ensured(guest("default"));
  EXPECT_TRUE(remove(owner).ok());
  EXPECT_EQ(cloud.listeners.size(), 1U);
  EXPECT_EQ(cloud.listeners.begin()->second.port, 81);
  EXPECT_EQ(network().tags["kubernetes.io/service-name"], "default/guest");
  start();
  EXPECT_EQ(difference(guest("default")), "");
  EXPECT_TRUE(remove(guest("default")).ok());
  expect_nothing_left();
}

TEST_F(AwsOwnershipTest, Issue43_AHandingOverThatFailsHalfWayLeavesTheLastGuestAnOwner) {
  const auto owner = nlb();
  host.kube.put("v1/services", owner.object.json());
  ensured(owner);
  const auto heir = guest("default");
  host.kube.put("v1/services", heir.object.json());
  ensured(heir);
  auto last = web({82});
  last.name = "last";
  last.uid = "5b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  last.id = heir.id;
  last = with(last, {{"type", "nlb"}});
  ensured(last);
  fail("RemoveTags", "AccessDenied", 403);
  EXPECT_FALSE(remove(owner).ok());
  EXPECT_TRUE(remove(owner).ok());
  EXPECT_EQ(network().tags["kubernetes.io/service-name"], "default/guest");
  EXPECT_TRUE(remove(heir).ok());
  EXPECT_EQ(network().tags["kubernetes.io/service-name"], "default/last");
  EXPECT_EQ(cloud.listeners.size(), 1U);
  EXPECT_TRUE(remove(last).ok());
  expect_nothing_left();
}

TEST_F(AwsOwnershipTest, Issue43_AGuestDoesNotGetThePortOfAnother) {
  auto owner = nlb({81});
  host.kube.put("v1/services", owner.object.json());
  ensured(owner);
  const Status why = refused(guest("default"));
  EXPECT_NE(why.message().find("port 81 of the shared load balancer"), std::string::npos)
      << why.message();
}

TEST_F(AwsOwnershipTest, Issue43_WhoseServiceIsGoneIsJoinedByNobody) {
  ensured(nlb());
  EXPECT_EQ(refused(guest("default")).reason(), "LoadBalancerNotShared");
  // Nor one whose Service was made again under its name.
  auto again = web();
  again.uid = "4b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  host.kube.put("v1/services", with(again, {}).object.json());
  EXPECT_EQ(refused(guest("default")).reason(), "LoadBalancerNotShared");
}

TEST_F(AwsOwnershipTest, AWS_108_ATargetGroupOfSomebodyElseIsNotTakenForAPort) {
  ensured(nlb());
  const auto theirs = cloud.targets.begin()->second;
  EXPECT_TRUE(remove(nlb()).ok());
  cloud.targets["arn:theirs"] = theirs;
  cloud.targets["arn:theirs"].tags = {{"team", "a"}};
  cloud.targets["arn:theirs"].targets.clear();
  start();
  EXPECT_EQ(ensure(nlb()).status().reason(), "NotOwned");
  EXPECT_TRUE(cloud.targets["arn:theirs"].targets.empty());
  EXPECT_TRUE(cloud.listeners.empty());
}

TEST_F(AwsOwnershipTest, AWS_108_ATargetGroupThatAHandGaveAListenerStays) {
  ensured(nlb({80, 81}));
  cloud.targets["arn:theirs"] = cloud.targets.begin()->second;
  cloud.targets["arn:theirs"].name = "theirs";
  cloud.targets["arn:theirs"].fields["TargetGroupName"] = "theirs";
  cloud.targets["arn:theirs"].tags = {{"team", "a"}};
  const auto give = [&](int64_t port) {
    for (auto& [arn, listener] : cloud.listeners) {
      if (listener.port == port) listener.group = "arn:theirs";
    }
    start();
  };
  give(80);
  ensured(nlb({80, 81}));
  EXPECT_TRUE(cloud.targets.contains("arn:theirs")) << "after a change of the listener";
  give(81);
  ensured(nlb({80}));
  EXPECT_EQ(cloud.listeners.size(), 1U);
  EXPECT_TRUE(cloud.targets.contains("arn:theirs")) << "after a deletion of the listener";
  give(80);
  EXPECT_TRUE(remove(nlb({80})).ok());
  EXPECT_EQ(cloud.targets.size(), 1U);
  EXPECT_TRUE(cloud.targets.contains("arn:theirs")) << "after a deletion of the load balancer";
}

TEST_F(AwsOwnershipTest, AWS_108_ATargetGroupOfAnotherVpcStays) {
  ensured(nlb());
  auto elsewhere = cloud.targets.begin()->second;
  elsewhere.fields["VpcId"] = "vpc-2";
  const std::string name = std::exchange(elsewhere.name, elsewhere.name + "x");
  elsewhere.fields["TargetGroupName"] = elsewhere.name;
  cloud.targets["arn:elsewhere"] = elsewhere;
  start();
  EXPECT_EQ(ensured(nlb()).difference, "");
  EXPECT_TRUE(remove(nlb()).ok());
  EXPECT_EQ(cloud.targets.size(), 1U);
  cloud.targets["arn:elsewhere"].name = name;
  cloud.targets["arn:elsewhere"].fields["TargetGroupName"] = name;
  start();
  EXPECT_EQ(ensure(nlb()).status().reason(), "NotOwned");
}

TEST_F(AwsOwnershipTest, WhatBearsTheMarkIsListedAndOnlyThat) {
  ensured(nlb());
  auto second = web();
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  ensured(with(second, {}));
  cloud.groups["sg-kops"] = {"masters.c1", "", {{"kubernetes.io/cluster/c1", "owned"}}, {}};
  start();
  const auto all = list_owned({{"kubernetes"}, false, false});
  ASSERT_TRUE(all.ok()) << all.status().message();
  ASSERT_EQ(all->size(), 3U);
  for (const OwnedObject& object : *all) {
    EXPECT_EQ(object.cluster, "c1");
    EXPECT_FALSE(object.shared);
    ASSERT_EQ(object.services.size(), 1U);
    EXPECT_TRUE(remove_owned({{"kubernetes"}, false, false}, object).ok() ||
                object.kind == CCM_OWNED_SECURITY_GROUP);
  }
  for (const OwnedObject& object : *all) {
    EXPECT_TRUE(remove_owned({{"kubernetes"}, false, false}, object).ok());
  }
  cloud.groups.erase("sg-kops");
  EXPECT_TRUE(cloud.networks.empty());
  EXPECT_TRUE(cloud.classics.empty());
  EXPECT_TRUE(cloud.targets.empty());
  EXPECT_EQ(cloud.groups.size(), 2U);
}

// Both are made before either is listed.
TEST_F(AwsOwnershipTest, AWS_117_ACreationThatGivesTheOneOfSomebodyElseTakesNothing) {
  const auto service = nlb({80}, {{"name", "shop"}});
  aws_api::Network theirs;
  theirs.name = "shop";
  theirs.scheme = "internet-facing";
  theirs.address_type = "ipv4";
  theirs.subnets = {"subnet-pub-a", "subnet-pub-b"};
  theirs.tags = {{"kubernetes.io/cluster/c1", "owned"},
                 {"kubernetes.io/service-name", "other/shop"},
                 {"cloud-controller-manager/service-uid", "uid-of-other"}};
  ASSERT_TRUE(observe(service).ok());
  cloud.networks["arn:shop"] = theirs;
  EXPECT_EQ(ensure(service).status().reason(), "NotOwned");
  EXPECT_EQ(network().tags, theirs.tags);
  EXPECT_TRUE(cloud.targets.empty());
  EXPECT_TRUE(cloud.listeners.empty());
  EXPECT_EQ(observe(service)->state, LoadBalancerState::foreign);
  EXPECT_TRUE(remove(service).ok());
  EXPECT_EQ(cloud.networks.size(), 1U);
}

TEST_F(AwsOwnershipTest, AWS_17_WhatBearsTheOldTagAloneIsListed) {
  ensured(nlb());
  auto& tags = network().tags;
  tags.erase("kubernetes.io/cluster/c1");
  tags["KubernetesCluster"] = "c1";
  start();
  const auto count = [&] {
    const auto listed = list_owned({{"kubernetes"}, false, false});
    EXPECT_TRUE(listed.ok());
    return std::count_if(listed->begin(), listed->end(), [](const OwnedObject& one) {
      return one.kind == CCM_OWNED_LOAD_BALANCER && !one.shared;
    });
  };
  EXPECT_EQ(count(), 1);
  tags["KubernetesCluster"] = "c2";
  start();
  EXPECT_EQ(count(), 0);
}

TEST_F(AwsOwnershipTest, AWS_17_89_AGroupWithTheOldTagAloneThatIsNotNeededGoes) {
  ensured(with(web(), {}));
  for (auto& [id, group] : cloud.groups) {
    if (!group.name.starts_with("k8s-elb-")) continue;
    group.tags = {{"KubernetesCluster", "c1"}};
  }
  start();
  ensured(with(web(), {{"security-groups", kOther}}));
  advance(seconds(30));
  for (const auto& [id, group] : cloud.groups) EXPECT_FALSE(group.name.starts_with("k8s-elb-"));
}

TEST_F(AwsOwnershipTest, OneOfAnotherClusterIsNotRemoved) {
  ensured(nlb());
  const auto all = list_owned({{"c1"}, true, false});
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), 1U);
  EXPECT_EQ(list_owned({{"c2"}, true, false})->size(), 0U);
  EXPECT_EQ(remove_owned({{"c2"}, true, false}, all->front()).reason(), CCM_REASON_NOT_OWNED);
  EXPECT_EQ(cloud.networks.size(), 1U);
}

TEST_F(AwsOwnershipTest, AWS_92_ALoadBalancerOfNoServiceTakesRulesForTheUsersGroupsAlong) {
  ensured(with(web(), {{"security-groups", kOther}}));
  start();
  const auto all = list_owned({{}, false, false});
  ASSERT_TRUE(all.ok() && all->size() == 1U);
  EXPECT_TRUE(remove_owned({{}, false, false}, all->front()).ok());
  expect_nothing_left();
}

}  // namespace
}  // namespace ccm::aws

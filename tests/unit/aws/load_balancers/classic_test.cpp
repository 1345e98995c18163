// Classic load balancers: creation, changes, instances.
#include "fixture.hpp"

#include <algorithm>
#include <set>

namespace ccm::aws {
namespace {

class AwsClassicTest : public AwsLoadBalancersTest {
 protected:
  LoadBalancerService clb(const std::vector<int>& ports = {80}, const Annotated& given = {}) {
    return with(web(ports), given);
  }
  std::string own_group() {
    for (const auto& [id, group] : cloud.groups) {
      if (group.name == "k8s-elb-" + kName) return id;
    }
    return "";
  }
  const std::string certificate = "arn:aws:acm:us-east-1:123456789012:certificate/one";
};

TEST_F(AwsClassicTest, AWS_82_87_88_89_90_92_ANewOneIsThatOfTheGoManager) {
  const auto made = ensured(clb({80, 81}));
  EXPECT_EQ(made.id, kName);
  EXPECT_EQ(made.ingress.at(0).hostname, kName + "-1.us-east-1.elb.amazonaws.com");
  EXPECT_EQ(classic().listeners.size(), 2U);
  const auto& listener = classic().listeners[80].fields;
  EXPECT_EQ(listener.at("Protocol"), "TCP");
  EXPECT_EQ(listener.at("InstancePort"), "30080");
  EXPECT_EQ(classic().health.at("Target"), "TCP:30080");
  EXPECT_EQ(classic().health.at("Interval"), "10");
  EXPECT_EQ(classic().health.at("UnhealthyThreshold"), "6");
  EXPECT_EQ(classic().instances.size(), 3U);
  EXPECT_EQ(classic().subnets, (std::vector<std::string>{"subnet-pub-a", "subnet-pub-b"}));
  EXPECT_EQ(classic().tags, (aws_api::Tags{{"kubernetes.io/cluster/c1", "owned"},
                                           {"kubernetes.io/service-name", "default/web"}}));
  const auto& group = cloud.groups[own_group()];
  EXPECT_EQ(group.description, "Security group for Kubernetes ELB " + kName + " (default/web)");
  EXPECT_EQ(group.tags, (aws_api::Tags{{"kubernetes.io/cluster/c1", "owned"}}));
  EXPECT_EQ(rules(own_group()), "icmp 3-4 0.0.0.0/0\ntcp 80-80 0.0.0.0/0\ntcp 81-81 0.0.0.0/0\n");
  EXPECT_EQ(rules(kNodes), "-1 -1--1 " + own_group() + "\n");
}

TEST_F(AwsClassicTest, AWS_86_105_ANewOneCostsEightCallsAndNothingOnceMore) {
  ensured(clb());
  (void)remove(clb());
  cloud.clear_log();
  ensured(clb({80, 81}));
  EXPECT_LE(cloud.writes() + cloud.reads(), 8) << cloud.reads() << " reads";
  cloud.clear_log();
  EXPECT_EQ(ensured(clb({80, 81})).difference, "");
  start();
  EXPECT_EQ(difference(clb({80, 81})), "");
  EXPECT_EQ(ensured(clb({80, 81})).difference, "");
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(AwsClassicTest, AWS_82_83_WhatFrontAndInstancesSpeak) {
  struct Case {
    const char* backend;
    const char* front;
    const char* instance;
  };
  for (const Case& one :
       {Case{"", "SSL", "TCP"}, Case{"http", "HTTPS", "HTTP"}, Case{"https", "HTTPS", "HTTPS"},
        Case{"ssl", "SSL", "SSL"}, Case{"tcp", "SSL", "TCP"}}) {
    ensured(clb(
        {443, 80},
        {{"ssl-cert", certificate}, {"ssl-ports", "80x, 443"}, {"backend-protocol", one.backend}}));
    const auto& tls = classic().listeners[443].fields;
    EXPECT_EQ(tls.at("Protocol"), one.front) << one.backend;
    EXPECT_EQ(tls.at("InstanceProtocol"), one.instance) << one.backend;
    EXPECT_EQ(tls.at("SSLCertificateId"), certificate);
    const bool http = std::string(one.backend) == "http";
    EXPECT_EQ(classic().listeners[80].fields.at("Protocol"), http ? "HTTP" : "TCP");
  }
  EXPECT_NE(refused(clb({443}, {{"ssl-cert", certificate}, {"backend-protocol", "grpc"}}))
                .message()
                .find("Invalid backend protocol grpc for " + certificate),
            std::string::npos);
}

TEST_F(AwsClassicTest, AWS_82_TheBackendsProtocolCountsInLowerCaseAlone) {
  ensured(clb({80}, {{"backend-protocol", "HTTP"}}));
  EXPECT_EQ(classic().listeners[80].fields.at("Protocol"), "TCP");
  EXPECT_EQ(events("AnnotationNotFollowed").size(), 1U);
  EXPECT_EQ(
      refused(clb({443}, {{"ssl-cert", certificate}, {"backend-protocol", "HTTP"}})).error_class(),
      ErrorClass::invalid_spec);
}

TEST_F(AwsClassicTest, AWS_84_ThePolicyIsMadeOnceAndSetOnPortsThatEndTls) {
  const Annotated tls{{"ssl-cert", certificate},
                      {"ssl-ports", "443"},
                      {"ssl-negotiation-policy", "ELBSecurityPolicy-TLS-1-2-2017-01"}};
  const std::string policy = "k8s-SSLNegotiationPolicy-ELBSecurityPolicy-TLS-1-2-2017-01";
  ensured(clb({80, 443}, tls));
  EXPECT_EQ(classic().listeners[443].policies, (std::set<std::string>{policy}));
  EXPECT_TRUE(classic().listeners[80].policies.empty());
  EXPECT_EQ(difference(clb({80, 443}, tls)), "");
  classic().listeners[443].policies = {"ELBSecurityPolicy-2016-08"};
  start();
  EXPECT_EQ(difference(clb({80, 443}, tls)), "policies");
  ensured(clb({80, 443}, tls));
  EXPECT_EQ(classic().listeners[443].policies, (std::set<std::string>{policy}));
}

TEST_F(AwsClassicTest, AWS_85_TheProxyProtocolComesAndGoes) {
  ensured(clb({80}, {{"proxy-protocol", "*"}}));
  EXPECT_EQ(classic().port_policies[30'080], (std::set<std::string>{"k8s-proxyprotocol-enabled"}));
  EXPECT_EQ(difference(clb({80}, {{"proxy-protocol", "*"}})), "");
  ensured(clb());
  EXPECT_TRUE(classic().port_policies[30'080].empty());
  EXPECT_NE(refused(clb({80}, {{"proxy-protocol", "v2"}})).message().find("only \"*\""),
            std::string::npos);
}

TEST_F(AwsClassicTest, AWS_86_154_AttributesAreComparedByWhatCounts) {
  const Annotated some{{"connection-idle-timeout", "3600"},
                       {"cross-zone-load-balancing-enabled", "True"},
                       {"connection-draining-enabled", "1"},
                       {"connection-draining-timeout", "60"}};
  ensured(clb({80}, some));
  EXPECT_EQ(classic().attributes["ConnectionSettings.IdleTimeout"], "3600");
  EXPECT_EQ(classic().attributes["CrossZoneLoadBalancing.Enabled"], "true");
  EXPECT_EQ(classic().attributes["ConnectionDraining.Timeout"], "60");
  EXPECT_EQ(difference(clb({80}, some)), "");
  ensured(clb());
  EXPECT_EQ(classic().attributes["ConnectionSettings.IdleTimeout"], "60");
  EXPECT_EQ(classic().attributes["ConnectionDraining.Enabled"], "false");
  EXPECT_EQ(difference(clb()), "");
}

TEST_F(AwsClassicTest, AWS_87_151_ChecksInAnyCaseAndByTheirOwnPort) {
  ensured(clb({80}, {{"healthcheck-protocol", "http"}, {"healthcheck-path", "/ok"}}));
  EXPECT_EQ(classic().health.at("Target"), "HTTP:30080/ok");
  ensured(clb({80}, {{"healthcheck-protocol", "HTTPS"}, {"healthcheck-port", "31000"}}));
  EXPECT_EQ(classic().health.at("Target"), "HTTPS:31000/");
  auto local = clb();
  local.local_traffic = true;
  local.health_check_node_port = 32'000;
  ensured(local);
  EXPECT_EQ(classic().health.at("Target"), "HTTP:32000/healthz");
  ensured(clb({80}, {{"backend-protocol", "https"}}));
  EXPECT_EQ(classic().health.at("Target"), "SSL:30080");
}

TEST_F(AwsClassicTest, AWS_88_156_NumbersAreCheckedBeforeAnythingIsWritten) {
  for (const Annotated& wrong :
       {Annotated{{"healthcheck-interval", "4"}}, Annotated{{"healthcheck-timeout", "10"}},
        Annotated{{"healthcheck-healthy-threshold", "11"}},
        Annotated{{"healthcheck-unhealthy-threshold", "4294967306"}},
        Annotated{{"connection-idle-timeout", "1s"}}, Annotated{{"access-log-enabled", "yes"}},
        Annotated{{"access-log-enabled", "true"}}, Annotated{{"ssl-cert", "mine"}},
        Annotated{{"subnets", ""}}, Annotated{{"security-groups", "sg-x"}},
        Annotated{{"target-group-attributes", "a=b"}}}) {
    const Status why = refused(clb({80}, wrong));
    EXPECT_EQ(why.error_class(), ErrorClass::invalid_spec) << wrong.begin()->first;
    EXPECT_NE(why.message().find("error parsing service annotation: " +
                                 std::string(kAnnotationPrefix) + wrong.begin()->first),
              std::string::npos)
        << why.message();
  }
}

TEST_F(AwsClassicTest, AWS_63_WhatAServiceMayNotAskFor) {
  auto udp = clb();
  udp.ports[0].protocol = "UDP";
  EXPECT_EQ(refused(udp).message(), "Protocol UDP not supported by LoadBalancer");
  auto affinity = clb();
  affinity.client_ip_affinity = true;
  EXPECT_EQ(refused(affinity).message(), "unsupported load balancer affinity: ClientIP");
  auto address = clb();
  address.requested_ip = "192.0.2.1";
  EXPECT_EQ(refused(address).message(), "LoadBalancerIP cannot be specified for AWS ELB");
  auto none = clb();
  none.ports.clear();
  EXPECT_EQ(refused(none).message(), "requested load balancer with no ports");
  auto closed = clb();
  closed.ports[0].node_port = 0;
  EXPECT_EQ(refused(closed).error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(AwsClassicTest, AWS_68_69_86_156_TagsOfTheUserCannotSayWhoseItIs) {
  ensured(clb({80}, {{"additional-resource-tags",
                      "a=b, d=e=f,lonely, =none,kubernetes.io/cluster/x=owned,"
                      "kubernetes.io/service-name=other/one"}}));
  EXPECT_EQ(classic().tags, (aws_api::Tags{{"a", "b"},
                                           {"d", "e=f"},
                                           {"lonely", ""},
                                           {"kubernetes.io/cluster/c1", "owned"},
                                           {"kubernetes.io/service-name", "default/web"}}));
  EXPECT_EQ(events("AnnotationNotFollowed").size(), 2U);
  ensured(clb({80}, {{"additional-resource-tags", "a=c"}}));
  EXPECT_EQ(classic().tags["a"], "c");
  EXPECT_EQ(classic().tags["d"], "e=f");
}

// Karpenter for one gives Nodes each security group that bears its tag.
TEST_F(AwsClassicTest, AWS_68_TagsOfTheUserSpeakToNoOtherController) {
  ensured(clb({80}, {{"additional-resource-tags",
                      "karpenter.sh/discovery=c1,karpenter.k8s.aws/x=1,elbv2.k8s.aws/cluster=c1,"
                      "k8s.io/cluster-autoscaler/enabled=1,sigs.k8s.io/x/cluster/c2=owned,"
                      "karpenter.shop/team=a,mine-k8s.io=b"}}));
  aws_api::Tags ours{
      {"karpenter.shop/team", "a"}, {"mine-k8s.io", "b"}, {"kubernetes.io/cluster/c1", "owned"}};
  for (const auto& [id, group] : cloud.groups) {
    if (group.name.starts_with("k8s-elb-")) {
      EXPECT_EQ(group.tags, ours);
    }
  }
  ours["kubernetes.io/service-name"] = "default/web";
  EXPECT_EQ(classic().tags, ours);
  EXPECT_EQ(events("AnnotationNotFollowed").size(), 5U);
}

TEST_F(AwsClassicTest, AWS_19_89_GroupsOfTheUserAndOfTheOperator) {
  ensured(clb({80}, {{"security-groups", kOther}}));
  EXPECT_EQ(classic().groups, (std::vector<std::string>{kOther}));
  EXPECT_EQ(rules(kNodes), rules_from(kOther));
  EXPECT_EQ(rules(kOther), "");
  EXPECT_TRUE(remove(clb()).ok());
  Settings settings;
  settings.elb_security_group = kOther;
  start_with(settings);
  auto second = with(web(), {});
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  ensured(clb());
  ensured(second);
  EXPECT_EQ(cloud.classics[kName].groups, (std::vector<std::string>{kOther}));
  const std::string all = "-1 -1--1 " + kOther;
  EXPECT_TRUE(rules(kNodes).starts_with(all)) << rules(kNodes);
  EXPECT_TRUE(remove(clb()).ok());
  EXPECT_TRUE(rules(kNodes).starts_with(all)) << "the second one needs it";
  EXPECT_TRUE(remove(second).ok());
  expect_nothing_left();
}

// AWS_92: the Go manager's rule, for all traffic and without a description, does as well.
TEST_F(AwsClassicTest, AWS_92_TheGoManagersRuleForAGroupOfTheUserStays) {
  const aws_api::Permission all{"-1", -1, -1, kOther, ""};
  ensured(clb({80}, {{"security-groups", kOther}}));
  cloud.groups[kNodes].rules = {{all.key(), all}};
  start();
  EXPECT_EQ(difference(clb({80}, {{"security-groups", kOther}})), "");
}

TEST_F(AwsClassicTest, AWS_92_WhoChoosesOtherNodesDoesNotCloseThose) {
  const std::string more = "sg-00000000000000ddd";
  cloud.groups[more] = {"more", "more", {{"kubernetes.io/cluster/c1", "owned"}}, {}};
  cloud.instances[instance(2)].groups = {more};
  Settings settings;
  settings.elb_security_group = kOther;
  start_with(settings);
  const auto first = clb({80}, {{"target-node-labels", "n=1"}});
  auto second = clb({80}, {{"target-node-labels", "n=2"}});
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  ensured(first);
  ensured(second);
  EXPECT_EQ(difference(first), "");
  EXPECT_EQ(difference(second), "");
}

TEST_F(AwsClassicTest, AWS_92_TheNodesRuleForAGroupGoesWhenItsLastLoadBalancerLeavesIt) {
  const Annotated named{{"security-groups", kOther}};
  auto second = with(web(), named);
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  ensured(clb({80}, named));
  ensured(second);
  EXPECT_EQ(rules(kNodes), rules_from(kOther));
  ensured(clb());
  EXPECT_NE(rules(kNodes).find(kOther), std::string::npos);  // the second one needs it
  EXPECT_TRUE(remove(second).ok());
  ensured(clb({80}, named));
  ensured(clb());
  EXPECT_EQ(rules(kNodes), "-1 -1--1 " + own_group() + "\n");
  EXPECT_EQ(difference(clb()), "");
}

TEST_F(AwsClassicTest, AWS_92_AGroupThatAnotherOneHadFirstLeavesNoRule) {
  ensured(clb({80}, {{"security-groups", kOther}}));
  auto second = with(web(), {{"extra-security-groups", kOther}});
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  ensured(second);
  EXPECT_TRUE(remove(clb()).ok());
  EXPECT_NE(rules(kNodes).find(kOther), std::string::npos);
  EXPECT_TRUE(remove(second).ok());
  expect_nothing_left();
}

TEST_F(AwsClassicTest, AWS_89_ExtraGroupsComeBesideTheOwnOne) {
  ensured(clb({80}, {{"extra-security-groups", kOther}}));
  EXPECT_EQ(classic().groups, (std::vector<std::string>{own_group(), kOther}));
  EXPECT_EQ(rules(kNodes), "-1 -1--1 " + own_group() + "\n");
}

TEST_F(AwsClassicTest, AWS_89_AGroupOfThatNameIsTakenUnlessItIsAnotherClusters) {
  cloud.groups["sg-00000000000000ccc"] = {"k8s-elb-" + kName, "", {}, {}};
  ensured(clb());
  EXPECT_EQ(classic().groups, (std::vector<std::string>{"sg-00000000000000ccc"}));
  EXPECT_EQ(cloud.groups["sg-00000000000000ccc"].tags["kubernetes.io/cluster/c1"], "owned");
  EXPECT_TRUE(remove(clb()).ok());
  cloud.groups["sg-00000000000000ccc"] = {"k8s-elb-" + kName, "", {{"KubernetesCluster", "x"}}, {}};
  start();
  EXPECT_EQ(refused(clb()).reason(), "NotOwned");
}

TEST_F(AwsClassicTest, AWS_90_ItsGroupHasExactlyTheRules) {
  ensured(clb());
  aws_api::Permission foreign{"tcp", 22, 22, "0.0.0.0/0", "by hand"};
  cloud.groups[own_group()].rules[foreign.key()] = foreign;
  auto service = clb();
  service.source_ranges = {"192.0.2.0/24", "2001:db8::/32"};
  advance(seconds(30));
  ensured(service);
  EXPECT_EQ(rules(own_group()),
            "icmp 3-4 192.0.2.0/24\nicmpv6 2-0 2001:db8::/32\ntcp 80-80 192.0.2.0/24\n"
            "tcp 80-80 2001:db8::/32\n");
}

TEST_F(AwsClassicTest, AWS_91_133_AReplacedGroupIsDeletedLaterAndNobodyWaits) {
  ensured(clb());
  const std::string own = own_group();
  cloud.groups[kOther].rules["-1 -1--1 " + own] = {"-1", -1, -1, own, ""};  // untagged
  cloud.groups_in_use.insert(own);
  advance(seconds(30));
  const auto made = ensured(clb({80}, {{"security-groups", kOther}}));
  EXPECT_EQ(made.state, LoadBalancerState::active);
  EXPECT_EQ(classic().groups, (std::vector<std::string>{kOther}));
  EXPECT_EQ(rules(kOther), "");
  EXPECT_TRUE(cloud.groups.contains(own));
  cloud.groups_in_use.clear();
  advance(seconds(15));
  EXPECT_FALSE(cloud.groups.contains(own));
}

TEST_F(AwsClassicTest, AWS_64_OneThatAChangeOfTheTypeLeftKeepsItsGroup) {
  ensured(clb());
  const std::string before = rules(kNodes);
  aws_api::Network beside;  // of the same name and tags
  beside.name = kName;
  beside.scheme = "internet-facing";
  beside.address_type = "ipv4";
  beside.subnets = classic().subnets;
  beside.tags = classic().tags;
  cloud.networks["arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/net/x/1"] = beside;
  start();
  const auto wish = with(web(), {{"type", "nlb"}});
  ensured(wish);
  EXPECT_TRUE(cloud.groups.contains(own_group()));
  EXPECT_NE(rules(kNodes).find(before), std::string::npos);
  EXPECT_TRUE(remove(wish).ok());
  expect_nothing_left();
}

TEST_F(AwsClassicTest, AWS_70_135_APublicOneNeverMovesToPrivateSubnets) {
  ensured(clb());
  ensured(clb({80}, {{"internal", "0.0.0.0/0"}}));
  EXPECT_EQ(classic().scheme, "internet-facing");
  EXPECT_EQ(classic().subnets, (std::vector<std::string>{"subnet-pub-a", "subnet-pub-b"}));
  EXPECT_EQ(events("SchemeNotFollowed").size(), 1U);
}

TEST_F(AwsClassicTest, AWS_81_SubnetsMayAllChangeAsLongAsAZoneIsNew) {
  ensured(clb({80}, {{"subnets", "subnet-pub-a"}}));
  ensured(clb({80}, {{"subnets", "pub-b"}}));
  EXPECT_EQ(classic().subnets, (std::vector<std::string>{"subnet-pub-b"}));
  ensured(clb());
  EXPECT_EQ(classic().subnets.size(), 2U);
}

TEST_F(AwsClassicTest, AWS_81_SubnetsMayAllChangeWithinTheirZones) {
  cloud.subnets["subnet-bb-second"] = {
      "us-east-1b", "10.0.4.0/24", "", {{"kubernetes.io/cluster/c1", "shared"}}, true};
  ensured(clb());
  const Annotated others{{"subnets", "subnet-aa-second,subnet-bb-second"}};
  ensured(clb({80}, others));
  EXPECT_EQ((std::set<std::string>(classic().subnets.begin(), classic().subnets.end())),
            (std::set<std::string>{"subnet-aa-second", "subnet-bb-second"}));
  EXPECT_EQ(difference(clb({80}, others)), "");
  ensured(clb({80}, {{"subnets", "subnet-pub-a"}}));
  EXPECT_EQ(classic().subnets, (std::vector<std::string>{"subnet-pub-a"}));
  EXPECT_EQ(ensured(clb({80}, {{"subnets", "subnet-aa-second"}})).difference, "");
  EXPECT_EQ(events("SubnetsNotFollowed").size(), 1U);
  EXPECT_EQ(classic().subnets, (std::vector<std::string>{"subnet-pub-a"}));
}

TEST_F(AwsClassicTest, AWS_94_PortsAndInstancesChangeInPlace) {
  ensured(clb({80, 81}));
  auto service = clb({80, 82});
  service.ports[0].node_port = 31'080;
  ensured(service);
  EXPECT_EQ(classic().listeners.size(), 2U);
  EXPECT_EQ(classic().listeners[80].fields.at("InstancePort"), "31080");
  EXPECT_TRUE(classic().listeners.contains(82));
  ASSERT_TRUE(update(service, nodes(2)).ok());
  EXPECT_EQ(classic().instances.size(), 2U);
}

TEST_F(AwsClassicTest, AWS_73_137_StoppedInstancesFailNothing) {
  cloud.instances[instance(1)].state = "stopped";
  ensured(clb());
  EXPECT_EQ(classic().instances.size(), 2U);
}

TEST_F(AwsClassicTest, AWS_60_OnlyTheExactWordMakesANetworkLoadBalancer) {
  ensured(clb({80}, {{"type", "NLB"}}));
  EXPECT_EQ(cloud.classics.size(), 1U);
}

TEST_F(AwsClassicTest, EachCallThatFailsOnceIsMendedByTheNextSync) {
  for (const std::string action :
       {"CreateSecurityGroup", "AuthorizeSecurityGroupIngress", "CreateLoadBalancer",
        "ConfigureHealthCheck", "RegisterInstancesWithLoadBalancer"}) {
    for (const bool after_effect : {false, true}) {
      start();
      fail(action, "InternalFailure", 500, after_effect);
      (void)ensure(clb());
      cloud.faults.clear();
      ensured(clb());
      EXPECT_EQ(cloud.classics.size(), 1U) << action;
      EXPECT_EQ(classic().instances.size(), 3U) << action;
      EXPECT_EQ(cloud.groups.size(), 3U) << action;
      EXPECT_TRUE(remove(clb()).ok()) << action;
      expect_nothing_left();
    }
  }
}

TEST_F(AwsClassicTest, AWS_74_89_RangesBehindNamedGroupsAreTold) {
  auto service = with(web(), {{"security-groups", kOther}});
  service.source_ranges = {"192.0.2.0/24"};
  ensured(service);
  EXPECT_EQ(events("SourceRangesNotFollowed").size(), 1U);
  service = with(web(), {});
  service.source_ranges = {"192.0.2.0/24"};
  ensured(service);
  EXPECT_EQ(events("SourceRangesNotFollowed").size(), 1U) << "its own group holds them";
}

}  // namespace
}  // namespace ccm::aws

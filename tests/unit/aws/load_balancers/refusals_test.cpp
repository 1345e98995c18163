// Network Load Balancers: wishes that AWS, the subnets or this manager do not follow, and what goes
// on nevertheless.
#include "fixture.hpp"

namespace ccm::aws {
namespace {

TEST_F(AwsLoadBalancersTest, AWS_81_144_AZoneThatIsRefusedKeepsNoNodeOut) {
  ensured(
      nlb({80}, {{"eip-allocations", "eipalloc-00000000000000001,eipalloc-00000000000000002"}}));
  cloud.subnets["subnet-pub-c"] = {
      "us-east-1c", "10.0.2.0/24", "", {{"kubernetes.io/cluster/c1", "shared"}}, true};
  advance(seconds(90));
  cloud.instances[instance(4)] = cloud.instances[instance(1)];
  cloud.instances[instance(4)].zone = "us-east-1c";
  fail("SetSubnets", "AccessDenied", 403);
  ASSERT_TRUE(update(nlb(), nodes(4)).ok());
  EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 4U);
  EXPECT_EQ(events("ChangeRefused").size(), 1U);
  EXPECT_EQ(network().subnets.size(), 2U);
  cloud.faults.clear();
  fail("SetSubnets", "InternalFailure", 500);
  cloud.faults.back().count = 5;
  EXPECT_FALSE(update(nlb(), nodes(4)).ok()) << "another try may mend it";
  cloud.faults.clear();
  ASSERT_TRUE(update(nlb(), nodes(4)).ok());
  EXPECT_EQ(network().subnets.size(), 3U);
  std::size_t kept = 0;
  for (const auto& one : cloud.last["SetSubnets"].structures("SubnetMappings")) {
    kept += one.has("AllocationId") ? 1 : 0;
  }
  EXPECT_EQ(kept, 2U);
}

TEST_F(AwsLoadBalancersTest, AWS_81_146_AZoneWithoutIpv6IsNotAddedToADualStackOne) {
  ensured(nlb({80}, {{"ip-address-type", "dualstack"}}));
  cloud.subnets["subnet-pub-c"] = {
      "us-east-1c", "10.0.2.0/24", "", {{"kubernetes.io/cluster/c1", "shared"}}, true};
  advance(seconds(90));
  cloud.instances[instance(4)] = cloud.instances[instance(1)];
  cloud.instances[instance(4)].zone = "us-east-1c";
  ASSERT_TRUE(update(nlb({80}, {{"ip-address-type", "dualstack"}}), nodes(4)).ok());
  EXPECT_EQ(events("ZoneNotAdded").size(), 1U);
  EXPECT_EQ(cloud.count("SetSubnets"), 0);
}

TEST_F(AwsLoadBalancersTest, AWS_155_WhatTheGoManagerDoesNotReadStopsNoneThatExists) {
  for (const Annotated& wrong :
       {Annotated{{"scheme", "public"}}, Annotated{{"ip-address-type", "IPv4"}},
        Annotated{{"name", "a.b"}}, Annotated{{"alpn-policy", "h2"}},
        Annotated{{"proxy-protocol", "v2"}}, Annotated{{"attributes", "x=y"}},
        Annotated{{"attributes", "deletion_protection.enabled=maybe"}},
        Annotated{{"healthcheck-timeout", "60"}}, Annotated{{"healthcheck-timeout", "1"}}}) {
    SCOPED_TRACE(wrong.begin()->first);
    EXPECT_EQ(refused(nlb({80}, wrong)).error_class(), ErrorClass::invalid_spec);
    ensured(nlb());
    EXPECT_EQ(ensured(nlb({80}, wrong)).difference, "");
    ASSERT_TRUE(update(nlb({80}, wrong), nodes(2)).ok());
    EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 2U);
    EXPECT_TRUE(remove(nlb()).ok());
  }
  EXPECT_GE(events("AnnotationNotFollowed").size(), 8U);
  ensured(nlb({80}, {{"connection-idle-timeout", "9999"}, {"access-log-emit-interval", "7"}}));
}

// Its Service could not be deleted while another one uses it.
TEST_F(AwsLoadBalancersTest, AWS_95_AGroupThatWasMadeForAnotherServiceIsNotNamed) {
  auto second = web();
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  ensured(with(second, {}));
  const std::string theirs = classic().groups[0];
  const std::string managed = "sg-00000000000000ddd";
  cloud.groups[managed] = {"k8s-default-third-0123456789",
                           "[k8s] Managed SecurityGroup for LoadBalancer",
                           {{"kubernetes.io/cluster/c1", "owned"}},
                           {}};
  advance(seconds(30));
  for (const std::string& id : {theirs, managed}) {
    for (const auto& service :
         {nlb({80}, {{"security-groups", id}}), with(web(), {{"security-groups", id}}),
          with(web(), {{"extra-security-groups", id}})}) {
      const Status why = refused(service);
      EXPECT_EQ(why.error_class(), ErrorClass::invalid_spec);
      EXPECT_NE(why.message().find("another Service"), std::string::npos) << why.message();
    }
  }
  ensured(nlb({80}, {{"security-groups", kOther}}));
  network().groups = {managed};  // one that has it by then goes on
  start();
  EXPECT_TRUE(ensure(nlb({80}, {{"security-groups", managed}})).ok());
}

TEST_F(AwsLoadBalancersTest, AWS_155_NameAndSubnetsThatStayAreTold) {
  ensured(nlb());
  EXPECT_EQ(ensured(nlb({80}, {{"name", "mine"}})).difference, "");
  EXPECT_EQ(events("NameNotFollowed").size(), 1U);
  const Annotated others{{"subnets", "subnet-aa-second,subnet-pub-b"}};
  EXPECT_EQ(ensured(nlb({80}, others)).difference, "");
  EXPECT_EQ(events("SubnetsNotFollowed").size(), 1U);
  EXPECT_EQ(ensured(nlb({80}, {{"subnets", "subnet-pub-a"}})).difference, "");
  EXPECT_EQ(events("SubnetsNotFollowed").size(), 2U);
  EXPECT_EQ(ensured(nlb({80}, {{"subnets", "subnet-pub-a,subnet-pub-b"}})).difference, "");
  EXPECT_EQ(events("SubnetsNotFollowed").size(), 2U);
}

// One that is made needs the subnets that its Service names; one that exists has its own.
TEST_F(AwsLoadBalancersTest, AWS_81_155_OneThatExistsFollowsNodesWithoutTheSubnetsThatAreNamed) {
  ASSERT_TRUE(ensure(nlb(), nodes(2)).ok());
  const auto gone = nlb({80}, {{"subnets", "subnet-none"}});
  ASSERT_TRUE(update(gone, nodes(3)).ok());
  EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 3U);
  EXPECT_EQ(ensured(gone).difference, "");
  EXPECT_EQ(network().subnets.size(), 2U);
  const auto told = events("SubnetsNotFollowed");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("expected to find 1, but found 0 subnets"), std::string::npos) << told[0];
  EXPECT_TRUE(remove(gone).ok());
  EXPECT_EQ(refused(gone).error_class(), ErrorClass::invalid_spec);
}

// A wrong edit keeps no Node out.
TEST_F(AwsLoadBalancersTest, AWS_90_155_OneThatExistsFollowsNodesWithoutTheGroupsThatAreNamed) {
  const Annotated own{{"security-groups", kOther}};
  const Annotated wrong{{"security-groups", "sg-00000000000000eee"}};
  ASSERT_TRUE(ensure(nlb({80}, own), nodes(2)).ok());
  const auto groups = network().groups;
  ASSERT_TRUE(update(nlb({80}, wrong), nodes(3)).ok());
  EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 3U);
  EXPECT_EQ(ensured(nlb({80}, wrong)).difference, "");
  EXPECT_EQ(network().groups, groups);
  const auto told = events("SecurityGroupsNotFollowed");
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("is not in the cluster"), std::string::npos) << told[0];
  ASSERT_TRUE(remove(nlb({80}, wrong)).ok());
  ASSERT_TRUE(ensure(with(web(), own), nodes(2)).ok());
  EXPECT_TRUE(update(with(web(), wrong), nodes(3)).ok());
  EXPECT_EQ(ensured(with(web(), wrong)).difference, "");
  EXPECT_EQ(classic().groups, std::vector<std::string>{kOther});
}

// A classic one with named groups gets no rule for a range.
TEST_F(AwsLoadBalancersTest, AWS_90_RangesThatMakeNoRulesAreNotCounted) {
  std::vector<int> ports;
  for (int port = 1; port <= 50; ++port) ports.push_back(port);
  auto service = with(web(ports), {{"security-groups", kOther}});
  for (int i = 0; i < 21; ++i) {
    service.source_ranges.push_back("10.0." + std::to_string(i) + ".0/24");
  }
  EXPECT_TRUE(ensure(service).ok());
}

// Its own group stays when the named one is refused, so a wrong name is no way past the limit.
TEST_F(AwsLoadBalancersTest, AWS_90_AGroupThatIsRefusedDoesNotLiftTheLimitOfRules) {
  std::vector<int> ports;
  for (int port = 1; port <= 50; ++port) ports.push_back(port);
  ensured(with(web(ports), {}));
  auto service = with(web(ports), {{"security-groups", "sg-00000000000000eee"}});
  for (int i = 0; i < 21; ++i) {
    service.source_ranges.push_back("10.0." + std::to_string(i) + ".0/24");
  }
  EXPECT_EQ(refused(service).error_class(), ErrorClass::invalid_spec);
}

// Before half a million of rules is built.
TEST_F(AwsLoadBalancersTest, AWS_90_PortsTimesRangesThatNoGroupTakesAreRefused) {
  std::vector<int> ports;
  for (int port = 1; port <= 50; ++port) ports.push_back(port);
  for (auto service : {nlb(ports), with(web(ports), {})}) {
    ensured(service);
    for (int i = 0; i < 21; ++i) {
      service.source_ranges.push_back("10.0." + std::to_string(i) + ".0/24");
    }
    const Status why = refused(service);
    EXPECT_EQ(why.error_class(), ErrorClass::invalid_spec);
    EXPECT_NE(why.message().find("50 ports"), std::string::npos) << why.message();
    EXPECT_FALSE(update(service, nodes()).ok());
    EXPECT_TRUE(remove(service).ok());
    expect_nothing_left();
  }
}

TEST_F(AwsLoadBalancersTest, LabelsOfTargetsCountOnceAndAreAtMost64) {
  std::string same;
  std::string others;
  for (int i = 0; i < 15'000; ++i) same += "n,";
  for (int i = 0; i < 65; ++i) others += "n" + std::to_string(i) + ",";
  const auto made = ensured(nlb({80}, {{"target-node-labels", same}}));
  EXPECT_EQ(made.node_labels, std::vector<std::string>{"n"});
  EXPECT_EQ(refused(nlb({80}, {{"target-node-labels", others}})).error_class(),
            ErrorClass::invalid_spec);
}

TEST_F(AwsLoadBalancersTest, AWS_86_155_AnEmptyValueIsNone) {
  ensured(nlb({80}, {{"scheme", ""},
                     {"ip-address-type", ""},
                     {"cross-zone-load-balancing-enabled", ""},
                     {"access-log-enabled", ""},
                     {"healthcheck-port", ""},
                     {"healthcheck-interval", ""}}));
  EXPECT_EQ(difference(nlb()), "");
}

TEST_F(AwsLoadBalancersTest, AWS_102_103_MoreAttributesOfAmazons) {
  ensured(nlb({80}, {{"attributes",
                      "ipv6.deny_all_igw_traffic=true,secondary_ips.auto_assigned.per_subnet=2"},
                     {"target-group-attributes",
                      "stickiness.type=source_ip,"
                      "target_group_health.dns_failover.minimum_healthy_targets.count=off"}}));
  EXPECT_EQ(network().attributes["secondary_ips.auto_assigned.per_subnet"], "2");
  EXPECT_EQ(cloud.targets.begin()->second.attributes["stickiness.type"], "source_ip");
}

TEST_F(AwsLoadBalancersTest, AWS_63_APortWithoutANodePortIsLeftOut) {
  auto service = nlb({80, 443});
  service.ports[0].node_port = 0;
  ensured(service);
  ASSERT_EQ(cloud.listeners.size(), 1U);
  EXPECT_EQ(cloud.listeners.begin()->second.port, 443);
  EXPECT_EQ(events("PortNotFollowed").size(), 1U);
}

TEST_F(AwsLoadBalancersTest, AWS_146_FamiliesAloneFallBackToWhatTheSubnetsHave) {
  cloud.subnets["subnet-pub-b"].ipv6_cidr.clear();
  auto service = nlb();
  service.ip_families = {"IPv4", "IPv6"};
  ensured(service);
  EXPECT_EQ(network().address_type, "ipv4");
  EXPECT_EQ(rules(kNodes).find("::/0"), std::string::npos);
  EXPECT_EQ(events("AddressTypeNotFollowed").size(), 1U);
  EXPECT_EQ(difference(service), "");
}

TEST_F(AwsLoadBalancersTest, AWS_146_AServiceOfIpv6AloneIsToldThatTargetsAreOfIpv4) {
  auto service = nlb();
  service.ip_families = {"IPv6"};
  EXPECT_EQ(refused(service).error_class(), ErrorClass::invalid_spec);
  ensured(nlb());
  EXPECT_EQ(ensured(service).difference, "");
  EXPECT_GE(events("FamilyNotServed").size(), 1U);
}

TEST_F(AwsLoadBalancersTest, AWS_145_146_UdpOfBothFamiliesHasItsSourceNat) {
  auto service = nlb({53}, {{"ip-address-type", "dualstack"}});
  service.ports[0].protocol = "UDP";
  ensured(service);
  EXPECT_EQ(cloud.listeners.begin()->second.protocol, "UDP");
}

TEST_F(AwsLoadBalancersTest, AWS_145_146_UdpComesToADualStackOneThatHadNone) {
  const Annotated both{{"ip-address-type", "dualstack"}};
  auto service = nlb({53, 80}, both);
  service.ports[0].protocol = "UDP";
  ensured(nlb({80}, both));
  EXPECT_FALSE(network().prefix_for_source_nat);
  fail("SetSubnets", "AccessDenied", 403);
  const auto before = cloud.targets.size();
  EXPECT_FALSE(ensure(service).ok());
  EXPECT_EQ(cloud.targets.size(), before) << "half of the port was made";
  EXPECT_EQ(cloud.listeners.size(), 1U);
  ensured(service);
  EXPECT_TRUE(network().prefix_for_source_nat);
  EXPECT_EQ(network().subnets.size(), 2U);
  EXPECT_EQ(cloud.listeners.size(), 2U);
  EXPECT_EQ(difference(service), "");
  start();
  EXPECT_EQ(difference(service), "");
}

TEST_F(AwsLoadBalancersTest, AWS_81_146_ANewZoneKeepsTheSourceNat) {
  cloud.subnets.erase("subnet-pub-b");
  auto service = nlb({53}, {{"ip-address-type", "dualstack"}});
  service.ports[0].protocol = "UDP";
  ASSERT_TRUE(ensure(service, nodes(1)).ok());
  cloud.subnets["subnet-pub-b"] = cloud.subnets["subnet-pub-a"];
  cloud.subnets["subnet-pub-b"].zone = "us-east-1b";
  start();
  ensured(service);
  EXPECT_EQ(network().subnets.size(), 2U);
  EXPECT_TRUE(network().prefix_for_source_nat);
}

TEST_F(AwsLoadBalancersTest, Issue43_ParametersOfAClassAreTold) {
  auto service = nlb();
  service.class_name = "service.k8s.aws/nlb";
  service.parameters = {{"scheme", "internal"}};
  ensured(service);
  EXPECT_EQ(events("ParametersNotFollowed").size(), 1U);
}

}  // namespace
}  // namespace ccm::aws

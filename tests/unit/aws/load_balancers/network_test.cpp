// Network Load Balancers: creation, changes, targets, faults.
#include "fixture.hpp"

#include <algorithm>
#include <set>

namespace ccm::aws {
namespace {

const std::string kClient = " (kubernetes.io/rule/nlb/client=" + kName + ")\n";
const std::string kHealth = " (kubernetes.io/rule/nlb/health=" + kName + ")\n";
const std::string kMtu = " (kubernetes.io/rule/nlb/mtu)\n";
constexpr const char* kCertificate = "arn:aws:acm:us-east-1:123456789012:certificate/one";
constexpr const char* kSecond = "arn:aws:acm:us-east-1:123456789012:certificate/two";

TEST_F(AwsLoadBalancersTest, AWS_96_98_67_68_ANewOneIsThatOfTheGoManager) {
  const auto made = ensured(nlb({80, 443}));
  EXPECT_EQ(made.state, LoadBalancerState::active);
  EXPECT_EQ(made.name, kName);
  EXPECT_TRUE(made.id.starts_with("arn:"));
  ASSERT_EQ(made.ingress.size(), 1U);
  EXPECT_EQ(made.ingress[0].hostname, kName + "-1.elb.us-east-1.amazonaws.com");
  EXPECT_EQ(network().scheme, "internet-facing");
  EXPECT_EQ(network().subnets, (std::vector<std::string>{"subnet-pub-a", "subnet-pub-b"}));
  EXPECT_TRUE(network().groups.empty());
  const aws_api::Tags tags{{"kubernetes.io/cluster/c1", "owned"},
                           {"kubernetes.io/service-name", "default/web"}};
  EXPECT_EQ(network().tags, tags);
  ASSERT_EQ(cloud.targets.size(), 2U);
  for (const auto& [arn, group] : cloud.targets) {
    EXPECT_EQ(group.targets.size(), 3U);
    EXPECT_EQ(group.tags, tags);
    EXPECT_EQ(group.fields.at("HealthCheckPort"), "traffic-port");
    EXPECT_EQ(group.fields.at("HealthCheckIntervalSeconds"), "30");
    EXPECT_EQ(group.fields.at("UnhealthyThresholdCount"), "3");
  }
  EXPECT_EQ(cloud.listeners.size(), 2U);
  EXPECT_EQ(rules(kNodes), "icmp 3-4 0.0.0.0/0" + kMtu + "tcp 30080-30080 0.0.0.0/0" + kClient +
                               "tcp 30443-30443 0.0.0.0/0" + kClient);
}

TEST_F(AwsLoadBalancersTest, AWS_80_WithoutASubnetNothingIsMade) {
  cloud.subnets.clear();
  const Status why = refused(nlb());
  EXPECT_NE(why.message().find("could not find any suitable subnets for creating the ELB"),
            std::string::npos)
      << why.message();
  EXPECT_NE(refused(with(web(), {})).message().find("suitable subnets"), std::string::npos);
}

TEST_F(AwsLoadBalancersTest, AWS_93_158_WhatIsListedIsTheVpcs) {
  ensured(nlb());
  for (const char* action :
       {"DescribeSecurityGroups", "DescribeSubnets", "DescribeRouteTables", "DescribeInstances"}) {
    EXPECT_EQ(cloud.last[action].filter("vpc-id"), std::vector<std::string>{"vpc-1"}) << action;
    EXPECT_TRUE(cloud.last[action].has("MaxResults")) << action;
  }
}

TEST_F(AwsLoadBalancersTest, AWS_58_ADeadInstanceDoesNotHaveTheAccountListedAgain) {
  cloud.instances.erase(instance(3));
  ensured(nlb());
  ASSERT_EQ(cloud.count("DescribeInstances"), 2) << "a listing, and a look-up of the dead one";
  ensured(nlb({80, 443}));
  EXPECT_EQ(cloud.count("DescribeInstances"), 3);
  EXPECT_EQ(cloud.last["DescribeInstances"].filter("instance-id"),
            std::vector<std::string>{instance(3)});
}

TEST_F(AwsLoadBalancersTest, AWS_100_ATargetGroupHasItsPortAndItsCheck) {
  ensured(nlb({80}, {{"healthcheck-protocol", "HTTP"},
                     {"healthcheck-path", "/ok"},
                     {"healthcheck-port", "8080"},
                     {"healthcheck-interval", "20"},
                     {"healthcheck-timeout", "7"},
                     {"healthcheck-healthy-threshold", "4"},
                     {"healthcheck-unhealthy-threshold", "5"}}));
  const aws_api::Form& made = cloud.last["CreateTargetGroup"];
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"TargetType", "instance"},
                                          {"Protocol", "TCP"},
                                          {"Port", "30080"},
                                          {"VpcId", "vpc-1"},
                                          {"HealthCheckProtocol", "HTTP"},
                                          {"HealthCheckPath", "/ok"},
                                          {"HealthCheckPort", "8080"},
                                          {"HealthCheckIntervalSeconds", "20"},
                                          {"HealthCheckTimeoutSeconds", "7"},
                                          {"HealthyThresholdCount", "4"},
                                          {"UnhealthyThresholdCount", "5"}}) {
    EXPECT_EQ(made.text(name), value) << name;
  }
}

TEST_F(AwsLoadBalancersTest, AWS_160_WithoutNodesItIsMadeAndTargetsComeLater) {
  ASSERT_TRUE(ensure(nlb(), {}).ok());
  EXPECT_TRUE(cloud.targets.begin()->second.targets.empty());
  ASSERT_TRUE(update(nlb(), nodes()).ok());
  EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 3U);
  EXPECT_NE(rules(kNodes), "");
}

TEST_F(AwsLoadBalancersTest, AWS_104_TargetsAreRegisteredBeforeOthersAreTakenAway) {
  ensured(nlb());
  cloud.instances[instance(4)] = cloud.instances[instance(1)];
  auto others = nodes(4);
  others.erase(others.begin());
  cloud.journal.clear();
  ASSERT_TRUE(update(nlb(), others).ok());
  const auto& journal = cloud.journal;
  const auto in = std::find(journal.begin(), journal.end(), "RegisterTargets");
  const auto out = std::find(journal.begin(), journal.end(), "DeregisterTargets");
  ASSERT_NE(in, journal.end());
  ASSERT_NE(out, journal.end());
  EXPECT_LT(in, out);
  EXPECT_EQ(cloud.targets.begin()->second.targets,
            (std::set<std::string>{instance(2), instance(3), instance(4)}));
}

TEST_F(AwsLoadBalancersTest, AWS_73_137_AStoppedInstanceFailsNothingAndCountsOnceItRuns) {
  cloud.instances[instance(2)].state = "stopped";
  ensured(nlb());
  EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 2U);
  EXPECT_EQ(difference(nlb()), "");
  cloud.instances[instance(2)].state = "running";
  advance(seconds(120));
  EXPECT_EQ(difference(nlb()), "targets of TCP 80");
  ensured(nlb());
  EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 3U);
  cloud.instances[instance(2)].state = "stopped";  // it stays a target
  advance(seconds(120));
  EXPECT_EQ(difference(nlb()), "");
}

TEST_F(AwsLoadBalancersTest, AWS_73_TargetsThatAwsRefusesAreLeftOutAndTold) {
  ensured(with(web({81}), {{"type", "nlb"}}));  // the instances are known as running
  cloud.instances[instance(2)].state = "shutting-down";
  ensured(nlb({81, 80}));
  EXPECT_EQ(events("TargetsRefused").size(), 1U);
  for (const auto& [arn, group] : cloud.targets) {
    EXPECT_EQ(group.targets.size(), group.fields.at("Port") == "30080" ? 2U : 3U);
  }
}

TEST_F(AwsLoadBalancersTest, AWS_71_72_LabelsChooseAndThoseThatServeStay) {
  ensured(nlb({80}, {{"target-node-labels", "n=2"}}));
  EXPECT_EQ(cloud.targets.begin()->second.targets, (std::set<std::string>{instance(2)}));
  const auto made = ensured(nlb({80}, {{"target-node-labels", "n=9"}}));
  EXPECT_EQ(made.no_members, "no Node has the labels n=9");
  EXPECT_EQ(made.node_labels, (std::vector<std::string>{"n"}));
  EXPECT_EQ(cloud.targets.begin()->second.targets, (std::set<std::string>{instance(2)}));
  EXPECT_NE(rules(kNodes), "");
}

TEST_F(AwsLoadBalancersTest, AWS_72_AnInstanceOfAnotherClusterIsNoTarget) {
  cloud.instances[instance(2)].tags = {{"kubernetes.io/cluster/other", "owned"}};
  ensured(nlb());
  EXPECT_EQ(cloud.targets.begin()->second.targets.size(), 2U);
}

TEST_F(AwsLoadBalancersTest, AWS_106_136_TlsComesAndGoesInPlace) {
  ensured(nlb({443}));
  const std::string listener = cloud.listeners.begin()->first;
  ensured(nlb({443}, {{"ssl-cert", kCertificate}}));
  ASSERT_EQ(cloud.listeners.size(), 1U);
  EXPECT_EQ(cloud.listeners[listener].protocol, "TLS");
  EXPECT_EQ(cloud.listeners[listener].certificates, (std::vector<std::string>{kCertificate}));
  EXPECT_EQ(difference(nlb({443}, {{"ssl-cert", kCertificate}})), "");
  ensured(nlb({443}));
  EXPECT_EQ(cloud.listeners[listener].protocol, "TCP");
  EXPECT_EQ(cloud.targets.size(), 1U);
}

TEST_F(AwsLoadBalancersTest, AWS_98_SeveralCertificatesAreChosenByName) {
  const std::string both = std::string(kCertificate) + ", " + kSecond;
  ensured(nlb({443}, {{"ssl-cert", both}}));
  EXPECT_EQ(cloud.listeners.begin()->second.certificates,
            (std::vector<std::string>{kCertificate, kSecond}));
  EXPECT_EQ(difference(nlb({443}, {{"ssl-cert", both}})), "");
  const std::string third =
      std::string(kCertificate) + ",arn:aws:acm:us-east-1:1:certificate/three";
  ensured(nlb({443}, {{"ssl-cert", third}}));
  EXPECT_EQ(cloud.listeners.begin()->second.certificates.size(), 2U);
  EXPECT_EQ(cloud.listeners.begin()->second.certificates[1],
            "arn:aws:acm:us-east-1:1:certificate/three");
}

TEST_F(AwsLoadBalancersTest, AWS_98_155_ACertificateThatIsTakenAwayIsServedNoMore) {
  const auto made = ensured(nlb({443}, {{"ssl-cert", std::string(kCertificate) + "," + kSecond}}));
  Annotated recorded{{"ssl-cert", kCertificate}};
  for (const Label& one : made.annotations) recorded[one.key] = one.value;
  ensured(nlb({443}, recorded));
  const auto& certificates = cloud.listeners.begin()->second.certificates;
  EXPECT_EQ(certificates, (std::vector<std::string>{kCertificate}));
  cloud.listeners.begin()->second.certificates.emplace_back(kSecond);
  EXPECT_EQ(ensured(nlb({443}, {{"ssl-cert", kCertificate}})).difference, "") << "by hand";
  recorded["ssl-cert"] = kSecond;
  ensured(nlb({443}, recorded));
  EXPECT_EQ(certificates.front(), kSecond);
  EXPECT_EQ(cloud.listeners.begin()->second.protocol, "TLS");
}

TEST_F(AwsLoadBalancersTest, AWS_98_82_PortsThatEndTlsAndWhatTheBackendsSpeak) {
  ensured(nlb({80, 443}, {{"ssl-cert", kCertificate},
                          {"ssl-ports", "443 , p9"},
                          {"backend-protocol", "ssl"},
                          {"ssl-negotiation-policy", "ELBSecurityPolicy-TLS13-1-2-2021-06"},
                          {"alpn-policy", "HTTP2Preferred"}}));
  for (const auto& [arn, listener] : cloud.listeners) {
    EXPECT_EQ(listener.protocol, listener.port == 443 ? "TLS" : "TCP");
    EXPECT_EQ(cloud.targets[listener.group].fields.at("Protocol"),
              listener.port == 443 ? "TLS" : "TCP");
    if (listener.port != 443) continue;
    EXPECT_EQ(listener.policy, "ELBSecurityPolicy-TLS13-1-2-2021-06");
    EXPECT_EQ(listener.alpn, "HTTP2Preferred");
  }
}

TEST_F(AwsLoadBalancersTest, AWS_145_TcpAndUdpOnOnePortAreOneListener) {
  auto service = nlb({53});
  service.ports.push_back({"udp", "UDP", "", 53, 30'053});
  ensured(service);
  ASSERT_EQ(cloud.listeners.size(), 1U);
  EXPECT_EQ(cloud.listeners.begin()->second.protocol, "TCP_UDP");
  EXPECT_EQ(cloud.targets.begin()->second.fields.at("Protocol"), "TCP_UDP");
  EXPECT_EQ(rules(kNodes), "icmp 3-4 0.0.0.0/0" + kMtu + "tcp 30053-30053 0.0.0.0/0" + kClient +
                               "udp 30053-30053 0.0.0.0/0" + kClient);
  EXPECT_EQ(difference(service), "");
}

TEST_F(AwsLoadBalancersTest, AWS_145_TcpAndUdpOnOnePortNeedOneNodePort) {
  auto service = nlb({53});
  service.ports.push_back({"udp", "UDP", "", 53, 31'053});
  const Status why = refused(service);
  EXPECT_EQ(why.error_class(), ErrorClass::invalid_spec);
  EXPECT_NE(why.message().find("one node port for both"), std::string::npos) << why.message();
}

TEST_F(AwsLoadBalancersTest, AWS_109_UdpAloneNeedsRulesForChecks) {
  auto service = nlb({53});
  service.ports[0].protocol = "UDP";
  ensured(service);
  EXPECT_EQ(rules(kNodes), "icmp 3-4 0.0.0.0/0" + kMtu + "tcp 30053-30053 10.0.0.0/24" + kHealth +
                               "tcp 30053-30053 10.0.1.0/24" + kHealth +
                               "udp 30053-30053 0.0.0.0/0" + kClient);
}

TEST_F(AwsLoadBalancersTest, AWS_74_109_147_SourceRangesOfBothFamilies) {
  auto service = nlb();
  service.source_ranges = {"192.0.2.0/24", "2001:db8::/32"};
  ensured(service);
  EXPECT_EQ(rules(kNodes), "icmp 3-4 192.0.2.0/24" + kMtu + "icmpv6 2-0 2001:db8::/32" + kMtu +
                               "tcp 30080-30080 10.0.0.0/24" + kHealth +
                               "tcp 30080-30080 10.0.1.0/24" + kHealth +
                               "tcp 30080-30080 192.0.2.0/24" + kClient +
                               "tcp 30080-30080 2001:db8::/32" + kClient);
  service.source_ranges.clear();
  ensured(service);  // AWS-110: the rules for checks go, too
  EXPECT_EQ(rules(kNodes), "icmp 3-4 0.0.0.0/0" + kMtu + "tcp 30080-30080 0.0.0.0/0" + kClient);
}

TEST_F(AwsLoadBalancersTest, AWS_74_146_SourceRangesHoldForClientsThatTheNodesDoNotSee) {
  for (const Annotated& given :
       {Annotated{{"ip-address-type", "dualstack"}},
        Annotated{{"target-group-attributes", "preserve_client_ip.enabled=false"}}}) {
    auto service = nlb({80}, given);
    service.source_ranges = {"192.0.2.0/24", "2001:db8::/32"};
    ensured(service);
    ASSERT_EQ(network().groups.size(), 1U);
    const std::string group = network().groups[0];
    EXPECT_EQ(rules(group), "tcp 80-80 192.0.2.0/24\ntcp 80-80 2001:db8::/32\n");
    EXPECT_EQ(rules(kNodes), "-1 -1--1 " + group + kClient);
    EXPECT_EQ(difference(service), "");
    EXPECT_TRUE(remove(service).ok());
    expect_nothing_left();
  }
}

TEST_F(AwsLoadBalancersTest, AWS_74_146_OneWithoutAGroupHidesNoMoreClients) {
  auto service = nlb();
  service.source_ranges = {"192.0.2.0/24"};
  ensured(service);
  auto both = nlb({80}, {{"ip-address-type", "dualstack"}});
  both.source_ranges = service.source_ranges;
  EXPECT_EQ(ensured(both).difference, "");
  EXPECT_EQ(network().address_type, "ipv4");
  EXPECT_EQ(events("AddressTypeNotFollowed").size(), 1U);
  auto hidden = nlb({80}, {{"target-group-attributes", "preserve_client_ip.enabled=false"}});
  hidden.source_ranges = service.source_ranges;
  EXPECT_EQ(ensured(hidden).difference, "");
  EXPECT_EQ(cloud.targets.begin()->second.attributes["preserve_client_ip.enabled"], "true");
  EXPECT_EQ(events("SourceRangesNotFollowed").size(), 1U);
}

// Clients of IPv6 come from the load balancer's addresses, as its checks do.
TEST_F(AwsLoadBalancersTest, AWS_74_146_RangesThatComeToADualStackOneCloseIpv6) {
  const Annotated both{{"ip-address-type", "dualstack"}};
  ensured(nlb({80}, both));
  auto service = nlb({80}, both);
  service.source_ranges = {"192.0.2.0/24"};
  fail("SetIpAddressType", "AccessDenied", 403);
  ensured(service);
  EXPECT_EQ(network().address_type, "dualstack");
  EXPECT_EQ(rules(kNodes),
            "icmp 3-4 192.0.2.0/24" + kMtu + "tcp 30080-30080 192.0.2.0/24" + kClient);
  EXPECT_EQ(events("ChangeRefused").size(), 1U);
  EXPECT_EQ(difference(service), "IP address type, security groups of Nodes");
  ensured(service);
  EXPECT_EQ(network().address_type, "ipv4");
  EXPECT_EQ(rules(kNodes), "icmp 3-4 192.0.2.0/24" + kMtu + "tcp 30080-30080 10.0.0.0/24" +
                               kHealth + "tcp 30080-30080 10.0.1.0/24" + kHealth +
                               "tcp 30080-30080 192.0.2.0/24" + kClient);
  EXPECT_GE(events("SourceRangesNotFollowed").size(), 1U);
  EXPECT_EQ(difference(service), "");
}

TEST_F(AwsLoadBalancersTest, AWS_74_146_ChecksOfAnotherPortGoOnWhereIpv6IsClosed) {
  Annotated both{{"ip-address-type", "dualstack"}, {"healthcheck-port", "10256"}};
  ensured(nlb({80}, both));
  auto service = nlb({80}, both);
  service.source_ranges = {"192.0.2.0/24"};
  fail("SetIpAddressType", "AccessDenied", 403);
  ensured(service);
  EXPECT_EQ(rules(kNodes), "icmp 3-4 192.0.2.0/24" + kMtu + "tcp 10256-10256 10.0.0.0/24" +
                               kHealth + "tcp 10256-10256 10.0.1.0/24" + kHealth +
                               "tcp 30080-30080 192.0.2.0/24" + kClient);
}

TEST_F(AwsLoadBalancersTest, AWS_109_WhoSharesTheRuleOfACheckIsLookedAtWhenItGoes) {
  auto first = nlb({80}, {{"healthcheck-port", "10256"}});
  first.source_ranges = {"192.0.2.0/24"};
  auto second = web({81});
  second.name = "second";
  second.uid = "1b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0";
  second = with(second, {{"type", "nlb"}, {"healthcheck-port", "10256"}});
  second.source_ranges = first.source_ranges;
  ensured(first);
  ensured(second);
  EXPECT_TRUE(remove(first).ok());
  ASSERT_EQ(host.hints.all().size(), 1U);
  EXPECT_EQ(host.hints.all()[0].namespace_name + "/" + host.hints.all()[0].name, "default/second");
  EXPECT_EQ(difference(second), "security groups of Nodes");
  ensured(second);
  EXPECT_NE(rules(kNodes).find("tcp 10256-10256 10.0.0.0/24"), std::string::npos);
  EXPECT_TRUE(remove(second).ok());
  expect_nothing_left();
}

TEST_F(AwsLoadBalancersTest, AWS_101_LocalTrafficIsCheckedAtItsOwnPort) {
  auto service = nlb();
  service.local_traffic = true;
  service.health_check_node_port = 32'000;
  ensured(service);
  const auto& fields = cloud.targets.begin()->second.fields;
  EXPECT_EQ(fields.at("HealthCheckProtocol"), "HTTP");
  EXPECT_EQ(fields.at("HealthCheckPort"), "32000");
  EXPECT_EQ(fields.at("HealthCheckPath"), "/healthz");
  EXPECT_EQ(fields.at("HealthCheckIntervalSeconds"), "10");
  EXPECT_EQ(fields.at("HealthyThresholdCount"), "2");
  EXPECT_NE(rules(kNodes).find("tcp 32000-32000 10.0.0.0/24"), std::string::npos);
}

TEST_F(AwsLoadBalancersTest, AWS_21_101_SharedChecksAreTheOperators) {
  Settings settings;
  settings.health_probe_mode = "Shared";
  start_with(settings);
  ensured(nlb({80}, {{"healthcheck-path", "/mine"}, {"healthcheck-interval", "20"}}));
  const auto& fields = cloud.targets.begin()->second.fields;
  EXPECT_EQ(fields.at("HealthCheckPort"), "10256");
  EXPECT_EQ(fields.at("HealthCheckPath"), "/healthz");
  EXPECT_EQ(fields.at("HealthCheckIntervalSeconds"), "20");
}

TEST_F(AwsLoadBalancersTest, AWS_104_105_ChecksChangeInPlaceOrByAnotherGroup) {
  const Annotated http{{"healthcheck-protocol", "http"}, {"healthcheck-path", "/a"}};
  ensured(nlb({80}, http));
  EXPECT_EQ(difference(nlb({80}, http)), "");
  auto other = http;
  other["healthcheck-path"] = "/b";
  other["healthcheck-unhealthy-threshold"] = "5";
  const std::string before = cloud.targets.begin()->first;
  EXPECT_EQ(difference(nlb({80}, other)), "health check of TCP 80");
  ensured(nlb({80}, other));
  EXPECT_EQ(cloud.targets.begin()->first, before);
  EXPECT_EQ(cloud.targets.begin()->second.fields.at("HealthCheckPath"), "/b");
  EXPECT_EQ(cloud.targets.begin()->second.fields.at("UnhealthyThresholdCount"), "5");
  other["healthcheck-interval"] = "15";
  ensured(nlb({80}, other));
  ASSERT_EQ(cloud.targets.size(), 1U);
  EXPECT_NE(cloud.targets.begin()->first, before);
  EXPECT_EQ(cloud.listeners.begin()->second.group, cloud.targets.begin()->first);
}

TEST_F(AwsLoadBalancersTest, AWS_155_TheTimeOfACheckCounts) {
  ensured(nlb({80}, {{"healthcheck-timeout", "7"}}));
  EXPECT_EQ(cloud.targets.begin()->second.fields.at("HealthCheckTimeoutSeconds"), "7");
}

TEST_F(AwsLoadBalancersTest, AWS_102_AttributesOfTargetGroupsComeAndGo) {
  const Annotated some{{"target-group-attributes",
                        "preserve_client_ip.enabled=false, proxy_protocol_v2.enabled=true"}};
  const auto made = ensured(nlb({80}, some));
  auto& attributes = cloud.targets.begin()->second.attributes;
  EXPECT_EQ(attributes["preserve_client_ip.enabled"], "false");
  EXPECT_EQ(attributes["proxy_protocol_v2.enabled"], "true");
  attributes["deregistration_delay.timeout_seconds"] = "17";  // by hand
  EXPECT_EQ(difference(nlb({80}, some)), "");
  Annotated recorded;
  for (const Label& one : made.annotations) recorded[one.key] = one.value;
  EXPECT_EQ(recorded["cloud-controller-manager/aws-own-options"], "target-group-attributes");
  const auto later = ensured(nlb({80}, recorded));
  EXPECT_TRUE(std::any_of(later.annotations.begin(), later.annotations.end(), [](const auto& one) {
    return one.key == "cloud-controller-manager/aws-own-options";
  })) << "it stays";
  EXPECT_EQ(attributes["preserve_client_ip.enabled"], "true");
  EXPECT_EQ(attributes["proxy_protocol_v2.enabled"], "false");
  EXPECT_EQ(attributes["deregistration_delay.timeout_seconds"], "17");
  ensured(nlb({80}, {{"proxy-protocol", "*"}}));
  EXPECT_EQ(attributes["proxy_protocol_v2.enabled"], "true");
}

TEST_F(AwsLoadBalancersTest, AWS_102_AttributesThatAHandHasSetStay) {
  ensured(nlb({443}, {{"ssl-cert", kCertificate}}));
  auto& attributes = cloud.targets.begin()->second.attributes;
  attributes["preserve_client_ip.enabled"] = "false";
  attributes["proxy_protocol_v2.enabled"] = "true";
  const Annotated recorded{{"ssl-cert", kCertificate},
                           {"cloud-controller-manager/aws-applied-options", "1-0"}};
  EXPECT_EQ(difference(nlb({443}, recorded)), "");
  EXPECT_EQ(ensured(nlb({443}, recorded)).difference, "");
}

TEST_F(AwsLoadBalancersTest, AWS_103_96_AttributesOfTheLoadBalancer) {
  ensured(nlb({80}, {{"cross-zone-load-balancing-enabled", "true"},
                     {"attributes", "deletion_protection.enabled=true"}}));
  EXPECT_EQ(network().attributes["load_balancing.cross_zone.enabled"], "true");
  EXPECT_EQ(network().attributes["deletion_protection.enabled"], "true");
  ensured(nlb());
  EXPECT_EQ(network().attributes["load_balancing.cross_zone.enabled"], "false");
  EXPECT_EQ(network().attributes["deletion_protection.enabled"], "true");  // nobody says it
}

TEST_F(AwsLoadBalancersTest, AWS_68_155_NewTagsComeToListenersAndTargetGroupsAsWell) {
  ensured(nlb({80, 443}));
  const Annotated tagged{{"additional-resource-tags", "a=b"}};
  fail("AddTags", "TooManyTags");
  EXPECT_EQ(ensured(nlb({80, 443}, tagged)).difference, "");
  EXPECT_EQ(events("ChangeRefused").size(), 1U);
  cloud.clear_log();
  ensured(nlb({80, 443}, tagged));
  EXPECT_EQ(cloud.count("AddTags"), 1);
  EXPECT_EQ(cloud.writes(), 1);
  EXPECT_EQ(network().tags["a"], "b");
  for (auto& [arn, listener] : cloud.listeners) EXPECT_EQ(listener.tags["a"], "b");
  for (auto& [arn, group] : cloud.targets) EXPECT_EQ(group.tags["a"], "b");
  EXPECT_EQ(difference(nlb({80, 443}, tagged)), "");
}

TEST_F(AwsLoadBalancersTest, AWS_96_NamesOfTheControllerOfAwsAreHonoured) {
  ensured(nlb({80}, {{"scheme", "internal"},
                     {"name", "my-nlb"},
                     {"ip-address-type", "dualstack"},
                     {"nlb-target-type", "ip"}}));
  EXPECT_EQ(network().scheme, "internal");
  EXPECT_EQ(network().name, "my-nlb");
  EXPECT_EQ(network().address_type, "dualstack");
  EXPECT_EQ(network().tags["cloud-controller-manager/service-uid"], kUid);
  EXPECT_EQ(events("AnnotationNotFollowed").size(), 1U);
  const Annotated same{
      {"scheme", "internal"}, {"name", "my-nlb"}, {"ip-address-type", "dualstack"}};
  EXPECT_EQ(difference(nlb({80}, same)), "");
  EXPECT_TRUE(remove(nlb()).ok());  // found by its tags
  expect_nothing_left();
}

TEST_F(AwsLoadBalancersTest, AWS_146_BothFamiliesOfTheServiceMakeItDualStack) {
  auto service = nlb();
  service.ip_families = {"IPv4", "IPv6"};
  ensured(service);
  EXPECT_EQ(network().address_type, "dualstack");
  EXPECT_NE(rules(kNodes).find("tcp 30080-30080 ::/0"), std::string::npos);
}

TEST_F(AwsLoadBalancersTest, AWS_146_OneOfTheGoManagerKeepsItsFamilyUntilTheAnnotationSaysSo) {
  ensured(nlb());
  auto service = nlb();
  service.ip_families = {"IPv4", "IPv6"};
  EXPECT_EQ(ensured(service).difference, "");
  EXPECT_EQ(events("AddressTypeNotFollowed").size(), 1U);
  ensured(nlb({80}, {{"ip-address-type", "dualstack"}}));
  EXPECT_EQ(network().address_type, "dualstack");
}

TEST_F(AwsLoadBalancersTest, AWS_146_ASubnetNeedsARangeThatServes) {
  const auto wish = nlb({80}, {{"ip-address-type", "dualstack"}});
  cloud.subnets["subnet-pub-b"].ipv6_state = "disassociated";
  EXPECT_NE(refused(wish).message().find("has no range of IPv6"), std::string::npos);
  cloud.subnets["subnet-pub-b"].ipv6_state = "a state of next year";
  start();
  ensured(wish);
  EXPECT_EQ(network().address_type, "dualstack");
}

TEST_F(AwsLoadBalancersTest, AWS_97_156_AddressesAreAsManyAsSubnets) {
  const std::string one = "eipalloc-00000000000000001";
  EXPECT_EQ(refused(nlb({80}, {{"eip-allocations", one}})).message(),
            "Must have same number of EIP AllocationIDs (1) and SubnetIDs (2)");
  ensured(nlb({80}, {{"eip-allocations", one + " , eipalloc-00000000000000002"},
                     {"subnets", "pub-b, subnet-pub-a"}}));
  EXPECT_EQ(network().subnets, (std::vector<std::string>{"subnet-pub-b", "subnet-pub-a"}));
  EXPECT_EQ(network().allocations[0], one);
}

TEST_F(AwsLoadBalancersTest, AWS_81_144_ANewZoneComesWithItsNodes) {
  ensured(nlb());
  cloud.subnets["subnet-pub-c"] = {
      "us-east-1c", "10.0.2.0/24", "", {{"kubernetes.io/cluster/c1", "shared"}}, true};
  advance(seconds(90));
  EXPECT_EQ(difference(nlb()), "");  // no Node is there
  cloud.instances[instance(4)] = cloud.instances[instance(1)];
  cloud.instances[instance(4)].zone = "us-east-1c";
  ASSERT_TRUE(update(nlb(), nodes(4)).ok());
  EXPECT_EQ(network().subnets.size(), 3U);
}

TEST_F(AwsLoadBalancersTest, AWS_70_TheSchemeStays) {
  ensured(nlb());
  ensured(nlb({80}, {{"internal", "true"}}));
  EXPECT_EQ(network().scheme, "internet-facing");
  EXPECT_EQ(network().subnets, (std::vector<std::string>{"subnet-pub-a", "subnet-pub-b"}));
  EXPECT_EQ(events("SchemeNotFollowed").size(), 1U);
}

TEST_F(AwsLoadBalancersTest, AWS_108_143_AListenerGoesWithItsTargetGroup) {
  ensured(nlb({80, 443}));
  ensured(nlb({80}));
  EXPECT_EQ(cloud.listeners.size(), 1U);
  EXPECT_EQ(cloud.targets.size(), 1U);
  EXPECT_EQ(rules(kNodes).find("30443"), std::string::npos);
}

TEST_F(AwsLoadBalancersTest, AWS_108_143_AnOrphanOfABrokenSyncIsSwept) {
  ensured(nlb({80}));
  fail("CreateListener", "ServiceUnavailable", 503);
  EXPECT_FALSE(ensure(nlb({80, 443})).ok());
  EXPECT_EQ(cloud.targets.size(), 2U);
  ensured(nlb({80}));
  EXPECT_EQ(cloud.targets.size(), 1U);
}

TEST_F(AwsLoadBalancersTest, AWS_107_ALeftoverWithOtherThresholdsIsTakenOver) {
  fail("CreateListener", "ServiceUnavailable", 503);
  EXPECT_FALSE(ensure(nlb()).ok());
  const Annotated other{{"healthcheck-healthy-threshold", "5"}};
  ensured(nlb({80}, other));
  EXPECT_EQ(cloud.targets.size(), 1U);
  EXPECT_EQ(cloud.targets.begin()->second.fields.at("HealthyThresholdCount"), "5");
}

TEST_F(AwsLoadBalancersTest, AWS_107_ATargetGroupOfSomebodyElseIsNot) {
  fail("CreateListener", "ServiceUnavailable", 503);
  EXPECT_FALSE(ensure(nlb()).ok());
  cloud.targets.begin()->second.tags["kubernetes.io/service-name"] = "other/web";
  EXPECT_EQ(ensure(nlb({80}, {{"healthcheck-healthy-threshold", "5"}})).status().reason(),
            "NotOwned");
  EXPECT_EQ(cloud.targets.begin()->second.fields.at("HealthyThresholdCount"), "3");
}

TEST_F(AwsLoadBalancersTest, AWS_111_142_AFullGroupIsToldAsAQuota) {
  cloud.most_rules = 1;
  const auto made = ensure(nlb());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().error_class(), ErrorClass::quota) << made.status().message();
  ASSERT_NE(made.partial(), nullptr);
  EXPECT_TRUE(made.partial()->id.starts_with("arn:"));
}

TEST_F(AwsLoadBalancersTest, AWS_112_152_WithAGroupOfItsOwnTheNodesHaveOneRule) {
  Settings settings;
  settings.nlb_security_group_mode = "Managed";
  start_with(settings);
  ensured(nlb({80, 443}, {{"ssl-cert", kCertificate}, {"ssl-ports", "443"}}));
  ASSERT_EQ(network().groups.size(), 1U);
  const std::string group = network().groups[0];
  EXPECT_EQ(cloud.groups[group].name, "k8s-default-web-d46ace0a2f");
  EXPECT_EQ(cloud.groups[group].description, "[k8s] Managed SecurityGroup for LoadBalancer");
  EXPECT_EQ(rules(group), "tcp 443-443 0.0.0.0/0\ntcp 80-80 0.0.0.0/0\n");
  EXPECT_EQ(rules(kNodes), "-1 -1--1 " + group + kClient);
  EXPECT_TRUE(remove(nlb({80, 443})).ok());
  expect_nothing_left();
}

TEST_F(AwsLoadBalancersTest, AWS_109_112_RulesByPortOfTheGoManagerStay) {
  Settings settings;
  settings.nlb_security_group_mode = "Managed";
  ensured(nlb());
  const auto by_port = cloud.groups[kNodes].rules;
  EXPECT_TRUE(remove(nlb()).ok());
  start_with(settings);
  ensured(nlb());
  cloud.groups[kNodes].rules = by_port;
  start_with(settings);
  EXPECT_EQ(difference(nlb()), "");
}

TEST_F(AwsLoadBalancersTest, AWS_113_GroupsOfTheUserCountWhenItIsMade) {
  ensured(nlb({80}, {{"security-groups", kOther}}));
  EXPECT_EQ(network().groups, (std::vector<std::string>{kOther}));
  EXPECT_EQ(rules(kNodes), rules_from(kOther));
  EXPECT_TRUE(remove(nlb()).ok());
  EXPECT_EQ(rules(kNodes), "");
}

// AWS_113: nobody else sees to the ranges, since the rules of that group are its owner's.
TEST_F(AwsLoadBalancersTest, AWS_113_SourceRangesCountBehindGroupsOfTheUser) {
  auto service = nlb({80}, {{"security-groups", kOther}});
  service.source_ranges = {"192.0.2.0/24"};
  ensured(service);
  EXPECT_NE(rules(kNodes).find("tcp 30080-30080 192.0.2.0/24"), std::string::npos);
  EXPECT_EQ(rules(kNodes).find(kOther), std::string::npos) << rules(kNodes);
}

TEST_F(AwsLoadBalancersTest, AWS_113_OneThatWasMadeWithoutGroupsIsToldSo) {
  ensured(nlb());
  EXPECT_EQ(ensured(nlb({80}, {{"security-groups", kOther}})).difference, "");
  EXPECT_EQ(events("SecurityGroupsNotFollowed").size(), 1U);
  EXPECT_EQ(ensured(nlb({80}, {{"security-groups", "sg-x"}})).difference, "");
  EXPECT_TRUE(remove(nlb()).ok());
  EXPECT_NE(refused(nlb({80}, {{"security-groups", "sg-0123456789abcdef0"}}))
                .message()
                .find("is not in the cluster's VPC"),
            std::string::npos);
}

TEST_F(AwsLoadBalancersTest, AWS_18_WithoutIngressNoRuleIsWritten) {
  Settings settings;
  settings.disable_security_group_ingress = true;
  start_with(settings);
  ensured(nlb());
  EXPECT_EQ(rules(kNodes), "");
  EXPECT_EQ(difference(nlb()), "");
}

TEST_F(AwsLoadBalancersTest, AWS_18_WithoutIngressNoRuleIsTakenAwayEither) {
  ensured(nlb());
  const std::string before = rules(kNodes);
  Settings settings;
  settings.disable_security_group_ingress = true;
  start_with(settings);
  EXPECT_TRUE(remove(nlb()).ok());
  EXPECT_TRUE(cloud.networks.empty());
  EXPECT_EQ(rules(kNodes), before);
}

TEST_F(AwsLoadBalancersTest, AWS_23_AModeThatThereIsNotIsRefused) {
  Settings settings;
  settings.nlb_security_group_mode = "managed";
  start_with(settings);
  EXPECT_EQ(refused(nlb()).message(), "Unsupported NLBSecurityGroupMode managed");
}

TEST_F(AwsLoadBalancersTest, AWS_168_AnAnswerThatIsLostLeadsToNoSecondOne) {
  fail("CreateLoadBalancer", "ServiceUnavailable", 503, true);
  EXPECT_FALSE(ensure(nlb()).ok());
  ensured(nlb());
  EXPECT_EQ(cloud.networks.size(), 1U);
  fail("CreateListener", "ServiceUnavailable", 503, true);
  EXPECT_FALSE(ensure(nlb({80, 443})).ok());
  ensured(nlb({80, 443}));
  EXPECT_EQ(cloud.listeners.size(), 2U);
  EXPECT_EQ(cloud.targets.size(), 2U);
}

TEST_F(AwsLoadBalancersTest, AWS_167_WhatAwsHasNotHeardOfYetIsWaitedFor) {
  fail("CreateListener", "LoadBalancerNotFound");
  const auto made = ensure(nlb());
  EXPECT_EQ(made.status().error_class(), ErrorClass::waiting) << made.status().message();
  ASSERT_NE(made.partial(), nullptr);
  ensured(nlb());
  EXPECT_EQ(cloud.listeners.size(), 1U);
}

TEST_F(AwsLoadBalancersTest, AWS_98_ACertificateThatAwsDoesNotKnowIsToldToTheServicesUser) {
  fail("CreateListener", "CertificateNotFound");
  const auto made = ensure(nlb({443}, {{"ssl-cert", "arn:aws:acm:us-east-1:1:certificate/x"}}));
  EXPECT_EQ(made.status().error_class(), ErrorClass::invalid_spec) << made.status().message();
  EXPECT_EQ(made.status().reason(), "CertificateNotFound");
}

TEST_F(AwsLoadBalancersTest, AWS_161_TheNameIsThereAtOnceAndAnEventSaysWhenItServes) {
  cloud.state_of_new = "provisioning";
  EXPECT_FALSE(ensured(nlb()).ingress.empty());
  advance(seconds(20));
  EXPECT_TRUE(events("LoadBalancerActive").empty());
  network().state = "active";
  advance(seconds(20));
  EXPECT_EQ(events("LoadBalancerActive").size(), 1U);
}

TEST_F(AwsLoadBalancersTest, EachCallThatFailsOnceIsMendedByTheNextSync) {
  const std::vector<std::string> actions{"DescribeLoadBalancers",
                                         "DescribeSecurityGroups",
                                         "DescribeSubnets",
                                         "DescribeRouteTables",
                                         "DescribeAvailabilityZones",
                                         "DescribeInstances",
                                         "CreateLoadBalancer",
                                         "CreateTargetGroup",
                                         "RegisterTargets",
                                         "CreateListener",
                                         "AuthorizeSecurityGroupIngress"};
  for (const std::string& action : actions) {
    start();
    fail(action, "InternalFailure", 500);
    cloud.faults.back().count = 5;  // with all tries of a read
    EXPECT_FALSE(ensure(nlb({80, 443})).ok()) << action;
    cloud.faults.clear();
    ensured(nlb({80, 443}));
    EXPECT_EQ(cloud.networks.size(), 1U) << action;
    EXPECT_EQ(cloud.listeners.size(), 2U) << action;
    EXPECT_EQ(cloud.targets.size(), 2U) << action;
    EXPECT_TRUE(remove(nlb({80, 443})).ok()) << action;
    expect_nothing_left();
  }
}

TEST_F(AwsLoadBalancersTest, AWS_59_FewTargetsOfManyInstancesAreLookedUp) {
  for (int i = 1'000; i < 2'500; ++i) {
    const std::string id = "i-0000000000000" + std::to_string(i);
    cloud.instances[id] = cloud.instances[instance(1)];
  }
  const auto filter = [&](const char* name) {
    return cloud.last["DescribeInstances"].filter(name);
  };
  ensured(nlb());
  EXPECT_EQ(filter("vpc-id").size(), 1U);
  const auto next = [&](int number) {
    auto service = nlb({80 + number});
    service.name = "s" + std::to_string(number);
    service.uid[0] = static_cast<char>('0' + number);
    cloud.clear_log();
    ensured(service);
    return cloud.count("DescribeInstances");
  };
  advance(seconds(200));
  EXPECT_EQ(next(1), 0);
  advance(seconds(200));
  EXPECT_EQ(next(2), 1);
  EXPECT_EQ(filter("instance-id").size(), 3U) << "a look-up costs one call, a listing two";
  EXPECT_EQ(next(3), 1);
  EXPECT_EQ(filter("vpc-id").size(), 1U) << "two look-ups would cost as much as a listing";
  EXPECT_EQ(next(4), 0);
}

TEST_F(AwsLoadBalancersTest, AWS_60_OthersAreLeftToTheirController) {
  for (const char* type : {"external", "nlb-ip"}) {
    EXPECT_EQ(ensure(with(web(), {{"type", type}})).status().code(), Code::implemented_elsewhere);
    EXPECT_EQ(update(with(web(), {{"type", type}}), nodes()).status().code(),
              Code::implemented_elsewhere);
  }
  EXPECT_EQ(cloud.reads() + cloud.writes(), 0);
}

TEST_F(AwsLoadBalancersTest, AWS_61_TheClassOfAwsIsANetworkLoadBalancer) {
  auto service = with(web(), {});
  service.class_name = "service.k8s.aws/nlb";
  ensured(service);
  EXPECT_EQ(cloud.networks.size(), 1U);
}

TEST_F(AwsLoadBalancersTest, AWS_115_AnUpdateOfOneThatIsGoneSaysSo) {
  EXPECT_EQ(update(nlb(), nodes()).status().error_class(), ErrorClass::not_found);
  EXPECT_EQ(observe(nlb())->state, LoadBalancerState::absent);
}

}  // namespace
}  // namespace ccm::aws

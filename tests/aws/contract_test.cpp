// What AWS's APIs and the provider have to do together. `make test-aws` runs it on moto, every
// `make test` on the fake of tests/aws_api.
#include "contract_fixture.hpp"

#include <ccm/namespace_rules.hpp>

#include <algorithm>

namespace ccm::aws {
namespace {

const Route* find(const std::vector<Route>& routes, const std::string& destination) {
  const auto found = std::find_if(routes.begin(), routes.end(), [&](const Route& route) {
    return route.destination_cidr == destination;
  });
  return found == routes.end() ? nullptr : &*found;
}

std::string address_of(const Instance& instance, const std::string& type) {
  for (const NodeAddress& address : instance.addresses) {
    if (address.type == type) return address.address;
  }
  return {};
}

TEST_F(AwsContractTest, AWS_39_40_45_49_50_NodesAreFoundByNameAndById) {
  const auto answers =
      component().describe({{id("n1-dns"), {}, {}},
                            {id("n2"), {}, {}},
                            {"unknown.example", {}, {}},
                            {"node", provider_id("n2", "us-east-1b"), {}},
                            {"gone", "aws:///us-east-1a/i-00000000000000bad", {}}});
  ASSERT_TRUE(answers.ok()) << answers.status().message();
  const Instance& first = answers->at(0);
  EXPECT_EQ(first.provider_id, provider_id("n1"));
  EXPECT_EQ(first.state, InstanceState::running);
  EXPECT_EQ(first.instance_type, "m5.large");
  EXPECT_EQ(first.zone, "us-east-1a");
  EXPECT_EQ(first.region, "us-east-1");
  EXPECT_EQ(address_of(first, "InternalIP"), id("n1-ip"));
  EXPECT_EQ(address_of(first, "InternalDNS"), id("n1-dns"));
  const bool has_zone_id = std::any_of(first.labels.begin(), first.labels.end(), [](auto& label) {
    return label.key == "topology.k8s.aws/zone-id" && !label.value.empty();
  });
  EXPECT_TRUE(has_zone_id);
  EXPECT_EQ(answers->at(1).provider_id, provider_id("n2", answers->at(1).zone.c_str()));
  EXPECT_EQ(answers->at(2).state, InstanceState::absent);
  EXPECT_EQ(answers->at(3).state, InstanceState::running);
  EXPECT_EQ(answers->at(4).state, InstanceState::absent);
  EXPECT_EQ(writes, std::vector<std::string>());
}

TEST_F(AwsContractTest, AWS_59_OneListingHasAllInstancesOfTheVpc) {
  const auto list = component().list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  for (const char* name : {"n1", "n2", "n4"}) {
    const bool has = std::any_of(list->instances.begin(), list->instances.end(), [&](auto& one) {
      return one.provider_id.ends_with("/" + id(name));
    });
    EXPECT_TRUE(has) << name;
  }
  EXPECT_EQ(std::count(reads.begin(), reads.end(), "DescribeInstances"), 1);
}

TEST_F(AwsContractTest, AWS_59_158_TheListingOfNodesServesTargetsAndZonesAreAskedAboutOnce) {
  const auto asked = [this](const char* action) {
    return std::count(reads.begin(), reads.end(), action);
  };
  ASSERT_TRUE(component().list().ok());
  reads.clear();
  ASSERT_TRUE(ensure(nlb({80})).ok());
  EXPECT_EQ(asked("DescribeInstances"), 0);
  host.loop.advance(std::chrono::minutes(11));
  reads.clear();
  ASSERT_TRUE(ensure(nlb({80})).ok());
  EXPECT_EQ(asked("DescribeSubnets"), 1);
  EXPECT_EQ(asked("DescribeAvailabilityZones"), 0);
  expect_removed(nlb({80}));
}

TEST_F(AwsContractTest, AWS_98_ANetworkLoadBalancerWithTwoPortsComesChangesAndGoes) {
  const auto made = settled(nlb({80, 443}));
  ASSERT_EQ(made.ingress.size(), 1U);
  EXPECT_NE(made.ingress.front().hostname, "");
  const Annotated more{{"cross-zone-load-balancing-enabled", "true"}};
  EXPECT_EQ(settled(nlb({80, 8080}, more)).id, made.id);
  expect_removed(nlb({80, 8080}));
}

TEST_F(AwsContractTest, Issue43_ANewNetworkLoadBalancerCostsTenCallsForTwoPorts) {
  ASSERT_TRUE(ensure(service("other", {99}, {{"type", "nlb"}})).ok());  // listings are read
  writes.clear();
  reads.clear();
  ASSERT_TRUE(ensure(nlb({80, 443})).ok());
  EXPECT_LE(writes.size() + reads.size(), 10U)
      << ::testing::PrintToString(writes) << ::testing::PrintToString(reads);
  expect_removed(nlb({80, 443}));
  expect_removed(service("other", {99}, {{"type", "nlb"}}));
}

TEST_F(AwsContractTest, AWS_106_136_TlsComesAndGoesInPlace) {
  settled(nlb({443}));
  settled(nlb({443}, {{"ssl-cert", id("cert-1")}}));
  settled(nlb({443}, {{"ssl-cert", id("cert-1") + "," + id("cert-2")}}));
  settled(nlb({443}));
  expect_removed(nlb({443}));
}

TEST_F(AwsContractTest, AWS_145_TcpAndUdpOnOnePort) {
  auto both = nlb({53});
  both.ports.push_back({"udp", "UDP", "", 53, 30'053});
  settled(both);
  expect_removed(both);
}

TEST_F(AwsContractTest, AWS_101_102_147_ChecksAttributesAndRanges) {
  auto wish = nlb({80}, {{"healthcheck-protocol", "http"},
                         {"healthcheck-path", "/ok"},
                         {"target-group-attributes", "preserve_client_ip.enabled=false"},
                         {"additional-resource-tags", "a=b=c"}});
  wish.source_ranges = {"192.0.2.0/24"};
  settled(wish);
  wish.local_traffic = true;
  wish.health_check_node_port = 32'000;
  settled(wish);
  expect_removed(wish);
}

TEST_F(AwsContractTest, AWS_112_AManagedGroup) {
  configure("NLBSecurityGroupMode = Managed\n");
  start();
  settled(nlb({80, 81}));
  expect_removed(nlb({80, 81}));
}

TEST_F(AwsContractTest, AWS_82_86_AClassicLoadBalancerComesChangesAndGoes) {
  const auto made = settled(classic({80, 81}));
  ASSERT_EQ(made.ingress.size(), 1U);
  EXPECT_NE(made.ingress.front().hostname, "");
  const Annotated more{{"ssl-cert", id("cert-1")},
                       {"ssl-ports", "443"},
                       {"proxy-protocol", "*"},
                       {"connection-idle-timeout", "120"},
                       {"connection-draining-enabled", "true"},
                       {"cross-zone-load-balancing-enabled", "true"}};
  settled(classic({80, 443}, more));
  settled(classic({80}));
  expect_removed(classic({80}));
}

TEST_F(AwsContractTest, AWS_81_SubnetsOfAClassicOneMayAllChange) {
  settled(classic({80}, {{"subnets", "pub-a"}}));
  settled(classic({80}, {{"subnets", "pub-b"}}));
  expect_removed(classic({80}));
}

TEST_F(AwsContractTest, Issue43_SharingIsRefusedWithoutConsentAndThenAllowed) {
  auto owner = nlb({80});
  host.kube.put("v1/services", owner.object.json());
  const auto made = ensure(owner);
  ASSERT_TRUE(made.ok()) << made.status().message();
  auto guest = service("guest", {81}, {{"type", "nlb"}}, "elsewhere");
  guest.id = made->id;
  writes.clear();
  EXPECT_EQ(ensure(guest).status().reason(), "LoadBalancerNotShared");
  EXPECT_EQ(writes, std::vector<std::string>());
  owner = nlb({80}, {{std::string(kShareAnnotation), "elsewhere"}});
  host.kube.put("v1/services", owner.object.json());
  EXPECT_EQ(settled(guest).id, made->id);
  EXPECT_EQ(settled(owner).id, made->id);
  expect_removed(guest);
  EXPECT_EQ(settled(owner).id, made->id);
  expect_removed(owner);
}

TEST_F(AwsContractTest, AWS_118_121_126_RoutesComeMoveAndGo) {
  const auto before = routes();
  ASSERT_TRUE(apply_routes({}, {route_to("n1", "10.244.1.0/24")}).ok());
  auto listed = routes();
  ASSERT_EQ(listed.size(), before.size() + 1);
  const Route* made = find(listed, "10.244.1.0/24");
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->owned);
  EXPECT_TRUE(made->target_provider_id.ends_with("/" + id("n1"))) << made->target_provider_id;
  const Route old = *made;
  ASSERT_TRUE(apply_routes({old}, {route_to("n2", "10.244.1.0/24")}).ok());
  listed = routes();
  made = find(listed, "10.244.1.0/24");
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(made->target_provider_id.ends_with("/" + id("n2"))) << made->target_provider_id;
  ASSERT_TRUE(apply_routes({*made}, {}).ok());
  EXPECT_EQ(routes().size(), before.size());
}

}  // namespace
}  // namespace ccm::aws

#include "aws/nodes/instance_view.hpp"
#include "aws/nodes/provider_id.hpp"
#include "provider_fixture.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::aws {
namespace {

using std::chrono::milliseconds;

std::string shown(const Instance& instance) {
  std::string text;
  for (const NodeAddress& address : instance.addresses) {
    text += (text.empty() ? "" : " ") + address.type + "=" + address.address;
  }
  return text;
}

class AwsNodesTest : public AwsProviderTest {
 protected:
  Instance described(const std::string& name, const std::string& provider_id = {},
                     const Object& object = {}) {
    auto answers = provider->describe({{name, provider_id, object}});
    EXPECT_TRUE(answers.ok()) << answers.status().message();
    return answers.ok() ? answers->front() : Instance();
  }
  std::string found_id(const std::string& name, const Object& object = {}) {
    return described(name, {}, object).provider_id;
  }
};

TEST(AwsProviderIdTest, AWS_3_39_Forms) {
  EXPECT_EQ(provider_id("us-east-1a", "i-0abc"), "aws:///us-east-1a/i-0abc");
  for (const char* text :
       {"aws:///us-east-1a/i-0abc", "aws:////i-0abc", "aws:///a/b/c/i-0abc", "i-0abc"}) {
    const auto id = parse_provider_id(text);
    ASSERT_TRUE(id.ok()) << text;
    EXPECT_EQ(id->instance, "i-0abc");
  }
  EXPECT_EQ(parse_provider_id("aws:///us-east-1a/fargate-10.0.0.9")->fargate, "10.0.0.9");
  EXPECT_EQ(parse_provider_id("gce://x/i-1").status().message(),
            "Invalid scheme for AWS instance (gce://x/i-1)");
  EXPECT_EQ(parse_provider_id("aws:///us-east-1a/x").status().message(),
            "Invalid format for AWS instance (aws:///us-east-1a/x)");
}

TEST(AwsProviderIdTest, AWS_41_WhatIsAnInstanceId) {
  for (const char* id : {"i-01234567", "i-0123456789abcdef0"}) EXPECT_TRUE(is_instance_id(id));
  for (const char* id : {"i-love-clouds", "i-0123456g", "i-012345678", "i-", "01234567"}) {
    EXPECT_FALSE(is_instance_id(id)) << id;
  }
}

TEST_F(AwsNodesTest, AWS_20_45_46_47_49_50_ANodeOfTheListing) {
  aws_api::Machine& machine = cloud.add_machine(14);
  machine.public_address = "3.3.3.3";
  machine.public_dns = "ec2-3.example";
  machine.cards.insert(
      machine.cards.begin(),
      {"eni-b", 1, true, {"10.0.10.14", "10.0.10.114"}, {"2001:db8::1", "2001:db8::2"}});
  machine.cards.push_back({"eni-c", 2, true, {"10.0.99.1"}, {}, "detaching"});
  start();
  auto list = provider->list();
  ASSERT_TRUE(list.ok()) << list.status().message();
  ASSERT_EQ(list->instances.size(), 1u);
  const Instance& node = list->instances.front();
  EXPECT_EQ(node.provider_id, "aws:///us-east-1a/i-00000000000000014");
  EXPECT_EQ(node.name, "ip-10-0-0-14.ec2.internal");
  EXPECT_EQ(node.instance_type + " " + node.zone + " " + node.region,
            "m5.large us-east-1a us-east-1");
  EXPECT_EQ(shown(node),
            "InternalIP=10.0.0.14 InternalIP=10.0.10.14 InternalIP=10.0.10.114 ExternalIP=3.3.3.3 "
            "InternalDNS=ip-10-0-0-14.ec2.internal Hostname=ip-10-0-0-14.ec2.internal "
            "ExternalDNS=ec2-3.example");
  EXPECT_EQ(label(node, "topology.k8s.aws/zone-id"), "use1-az6");
  host.config.set_cloud_config(
      "[Global]\nRegion=us-east-1\nVPC=vpc-1\nKubernetesClusterID=c1\n"
      "NodeIPFamilies=ipv6\n");
  start();
  EXPECT_EQ(shown(provider->list()->instances.front()), "InternalIP=2001:db8::1");
}

TEST_F(AwsNodesTest, AWS_53_55_States) {
  int number = 1;
  for (const char* state :
       {"pending", "running", "shutting-down", "stopping", "stopped", "terminated"}) {
    cloud.add_machine(number++).state = state;
  }
  cloud.add_machine(number).state = "pending";
  cloud.machines.back().cards.clear();
  start();
  const InstanceState kStates[] = {InstanceState::running,  InstanceState::running,
                                   InstanceState::running,  InstanceState::running,
                                   InstanceState::shutdown, InstanceState::terminated,
                                   InstanceState::starting};
  auto list = provider->list();
  ASSERT_TRUE(list.ok());
  for (size_t i = 0; i < std::size(kStates); ++i) {
    const Instance* found = with_id(*list, provider_id("us-east-1a", cloud.machines[i].id));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->state, kStates[i]) << cloud.machines[i].state << i;
  }
}

TEST_F(AwsNodesTest, AWS_59_FiveThousandNodesAreFiveCalls) {
  for (int i = 1; i <= 4'500; ++i) cloud.add_machine(i);
  start();
  const auto list = provider->list();
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->instances.size(), 4'500u);
  EXPECT_EQ(cloud.calls("DescribeInstances"), 5u);
  EXPECT_EQ(cloud.calls(), 6u) << "one about the topology of this type";
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(cloud.calls(), 11u);
}

TEST_F(AwsNodesTest, AWS_44_TwoHundredNewNodesAreOneLookUp) {
  std::vector<NodeIdentity> nodes;
  for (int i = 1; i <= 200; ++i) nodes.push_back({cloud.add_machine(i).private_dns, {}, {}});
  start();
  const auto answers = provider->describe(nodes);
  ASSERT_TRUE(answers.ok()) << answers.status().message();
  for (const Instance& instance : *answers) EXPECT_EQ(instance.state, InstanceState::running);
  EXPECT_EQ(cloud.calls("DescribeInstances"), 1u);
  EXPECT_EQ(cloud.calls(), 2u) << "one about the topology of this type";
}

TEST_F(AwsNodesTest, AWS_43_54_56_149_LookUpsByProviderId) {
  cloud.add_machine(1);
  cloud.add_machine(2).vpc = "vpc-of-another";
  cloud.machines.back().tags.clear();
  start();
  auto answers = provider->describe({{"a", "aws:///us-east-1a/i-00000000000000001", {}},
                                     {"b", "aws:////i-00000000000000002", {}},
                                     {"c", "aws:///us-east-1a/i-00000000000000003", {}},
                                     {"d", "aws:///us-east-1a/i-kwok", {}},
                                     {"e", "aws:///us-east-1a/nonsense", {}}});
  ASSERT_TRUE(answers.ok()) << answers.status().message();
  EXPECT_EQ((*answers)[0].state, InstanceState::running);
  EXPECT_EQ((*answers)[1].state, InstanceState::running) << "of another VPC, without a tag";
  EXPECT_EQ((*answers)[1].provider_id, "aws:///us-east-1a/i-00000000000000002") << "its own";
  EXPECT_EQ((*answers)[2].state, InstanceState::absent);
  EXPECT_EQ((*answers)[3].state, InstanceState::unknown) << "no id, so no absence";
  EXPECT_EQ((*answers)[4].state, InstanceState::unknown);
  EXPECT_EQ(cloud.calls("DescribeInstances"), 1u) << "the dead one fails nothing";
}

TEST_F(AwsNodesTest, AFailedLookUpIsNoAbsence) {
  cloud.add_machine(1);
  start();
  cloud.faults.push_back({"DescribeInstances", 3, 500, "InternalError", "oops"});
  const auto answers = provider->describe({{"a", "aws:///us-east-1a/i-00000000000000001", {}}});
  EXPECT_EQ(answers.status().error_class(), ErrorClass::unavailable);
}

TEST_F(AwsNodesTest, AWS_40_NamesOfTheGoManager) {
  cloud.add_machine(1);
  cloud.add_machine(2).tags.clear();
  start();
  EXPECT_EQ(found_id("ip-10-0-0-1.ec2.internal"), "aws:///us-east-1a/i-00000000000000001");
  EXPECT_EQ(found_id("i-00000000000000001"), "aws:///us-east-1a/i-00000000000000001");
  EXPECT_EQ(found_id("i-00000000000000001.us-east-1.compute.internal"),
            "aws:///us-east-1a/i-00000000000000001");
  EXPECT_EQ(found_id("ip-10-0-0-2.ec2.internal"), "") << "it lacks the cluster's tag";
  EXPECT_EQ(found_id("i-00000000000000002"), "aws:///us-east-1a/i-00000000000000002");
  cloud.machines[0].state = "terminated";
  EXPECT_EQ(described("ip-10-0-0-1.ec2.internal").state, InstanceState::absent);
  EXPECT_TRUE(host.events.all().empty()) << "nothing to tell about the usual";
}

TEST_F(AwsNodesTest, AWS_42_150_FurtherRulesTellWhichOneMatched) {
  cloud.add_machine(1);
  cloud.add_machine(2).tags["Name"] = "i-love-clouds";
  start();
  EXPECT_EQ(found_id("ip-10-0-0-1"), "aws:///us-east-1a/i-00000000000000001");
  EXPECT_EQ(found_id("ip-10-0-0-1.corp.example"), "aws:///us-east-1a/i-00000000000000001");
  const Object worker = node(R"({"kind":"Node","metadata":{"name":"worker"},"status":{"addresses":
      [{"type":"Hostname","address":"worker"},{"type":"InternalIP","address":"10.0.0.1"}]}})");
  EXPECT_EQ(found_id("worker", worker), "aws:///us-east-1a/i-00000000000000001");
  const Object cloudy = node(R"({"kind":"Node","metadata":{"name":"i-love-clouds"}})");
  EXPECT_EQ(found_id("i-love-clouds", cloudy), "aws:///us-east-1a/i-00000000000000002");
  const Object nobody = node(R"({"kind":"Node","metadata":{"name":"nobody"}})");
  EXPECT_EQ(described("nobody", {}, nobody).state, InstanceState::absent);
  const auto events = host.events.all();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].message, "Instance i-00000000000000001 was found by the Node's InternalIP");
  EXPECT_EQ(events[1].message, "Instance i-00000000000000002 was found by its tag Name");
  EXPECT_EQ(events[2].reason, "InstanceNotFound");
  EXPECT_TRUE(events[2].warning);
}

TEST_F(AwsNodesTest, AWS_42_SeveralThatFitAreNone) {
  cloud.add_machine(1).tags["Name"] = "twin";
  cloud.add_machine(2).tags["Name"] = "twin";
  start();
  EXPECT_EQ(described("twin").state, InstanceState::unknown) << "it may be either of them";
  EXPECT_EQ(described("*").state, InstanceState::absent) << "a name is no pattern";
}

TEST_F(AwsNodesTest, ListingsNameNodesAsTheyAreCalled) {
  cloud.add_machine(1);
  start();
  EXPECT_EQ(provider->list()->instances.front().name, "ip-10-0-0-1.ec2.internal");
  EXPECT_EQ(found_id("i-00000000000000001"), "aws:///us-east-1a/i-00000000000000001");
  EXPECT_EQ(provider->list()->instances.front().name, "i-00000000000000001");
  cloud.machines[0].tags.clear();
  EXPECT_EQ(provider->list()->instances.front().name, "") << "only its provider ID finds it";
}

TEST_F(AwsNodesTest, AWS_57_Fargate) {
  cloud.fargate = {"10.0.0.9"};
  start();
  const Instance running = described("f", "aws:///us-east-1a/fargate-ip-10-0-0-9.ec2.internal");
  EXPECT_EQ(running.state, InstanceState::running);
  EXPECT_EQ(shown(running), "InternalIP=10.0.0.9 InternalDNS=ip-fargate.ec2.internal");
  EXPECT_EQ(running.instance_type, "");
  EXPECT_EQ(described("g", "aws:///us-east-1a/fargate-10.0.0.8").state, InstanceState::absent);
  // Two Nodes that spell it in two ways: it is one task, and neither of them is absent for it.
  const auto both = provider->describe({{"f", "aws:///us-east-1a/fargate-10.0.0.9", {}},
                                        {"h", "aws:///us-east-1a/fargate-ip-10-0-0-9", {}}});
  ASSERT_TRUE(both.ok());
  for (const Instance& task : *both) {
    EXPECT_EQ(task.state, InstanceState::running);
    EXPECT_EQ(task.provider_id, "aws:///us-east-1a/fargate-10.0.0.9");
  }
}

TEST_F(AwsNodesTest, AFargateNameThatIsNoAddressIsNotAskedFor) {
  cloud.fargate = {"10.0.0.9"};
  start();
  for (const char* name :
       {"*", "10.0.0.*", "ip-10-0-0-?", "10.0.0.9,10.0.0.8", "fd00::1", "10.0.0.300", "ip-", "x"}) {
    EXPECT_EQ(described("f", std::string("aws:///z/fargate-") + name).state, InstanceState::unknown)
        << name;
  }
  EXPECT_EQ(cloud.calls("DescribeNetworkInterfaces"), 0U);
}

TEST_F(AwsNodesTest, WhatFargateLacksIsFargatesAlone) {
  cloud.fargate = {"10.0.0.9"};
  cloud.add_machine(1);
  start();
  cloud.denied.insert("DescribeNetworkInterfaces");
  const auto answers = provider->describe({{"f", "aws:///us-east-1a/fargate-10.0.0.9", {}},
                                           {"a", "aws:///us-east-1a/i-00000000000000001", {}},
                                           {cloud.machines[0].private_dns, {}, {}}});
  ASSERT_TRUE(answers.ok()) << answers.status().message();
  EXPECT_EQ((*answers)[0].state, InstanceState::unknown);
  EXPECT_EQ((*answers)[1].state, InstanceState::running);
  EXPECT_EQ((*answers)[2].state, InstanceState::running);
  EXPECT_TRUE(host.log.contains("Fargate's Nodes cannot be looked up"));
  EXPECT_EQ(provider->describe({{"f", "aws:///us-east-1a/fargate-10.0.0.9", {}}}).status().reason(),
            "UnauthorizedOperation")
      << "why, where nobody else asks";
}

TEST_F(AwsNodesTest, AnInternalIpThatIsNoAddressIsNotAskedFor) {
  cloud.add_machine(1);
  start();
  const Object worker = node(R"({"kind":"Node","metadata":{"name":"worker"},"status":{"addresses":
      [{"type":"InternalIP","address":"10.0.0.1\u0001"},{"type":"InternalIP","address":"10.0.0."},
       {"type":"InternalIP","address":"10.0.0.1,x"}]}})");
  EXPECT_EQ(described("worker", {}, worker).state, InstanceState::absent);
  for (const auto& form : cloud.journal()) {
    for (const auto& [name, value] : form) EXPECT_NE(value, "private-ip-address") << name;
  }
}

TEST_F(AwsNodesTest, AWS_51_TopologyOfTypesThatHaveIt) {
  cloud.add_machine(1).type = "p5.48xlarge";
  cloud.machines[0].layers = {"nn-1", "nn-2", "nn-3"};
  for (int i = 2; i < 200; ++i) cloud.add_machine(i);
  start();
  auto list = provider->list();
  ASSERT_TRUE(list.ok());
  const Instance* large = with_id(*list, "aws:///us-east-1a/i-00000000000000001");
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(label(*large, "topology.k8s.aws/network-node-layer-1"), "nn-1");
  EXPECT_EQ(label(*large, "topology.k8s.aws/network-node-layer-3"), "nn-3");
  EXPECT_EQ(cloud.calls("DescribeInstanceTopology"), 1u);
  EXPECT_TRUE(provider->list().ok());
  EXPECT_EQ(cloud.calls("DescribeInstanceTopology"), 1u) << "both answers are remembered";
}

TEST_F(AwsNodesTest, AWS_51_157_NoNodeWaitsForALabelForLong) {
  cloud.add_machine(1).type = "hpc6a.48xlarge";
  cloud.add_machine(2);
  start();
  cloud.faults.push_back({"DescribeInstanceTopology", 1'000, 500, "InternalError", "oops"});
  const auto states = [&] {
    auto list = provider->list();
    EXPECT_TRUE(list.ok());
    return std::pair(with_id(*list, "aws:///us-east-1a/i-00000000000000001")->state,
                     with_id(*list, "aws:///us-east-1a/i-00000000000000002")->state);
  };
  EXPECT_EQ(states(), std::pair(InstanceState::starting, InstanceState::running));
  host.loop.advance(milliseconds(61'000));
  EXPECT_EQ(states(), std::pair(InstanceState::running, InstanceState::running));
}

TEST_F(AwsNodesTest, AWS_51_WithoutThePermissionThereAreNoLabels) {
  cloud.add_machine(1).type = "hpc6a.48xlarge";
  start();
  cloud.faults.push_back({"DescribeInstanceTopology", 1'000, 403, "UnauthorizedOperation", "no"});
  EXPECT_EQ(provider->list()->instances.front().state, InstanceState::running);
  EXPECT_EQ(provider->list()->instances.front().state, InstanceState::running);
  EXPECT_EQ(cloud.calls("DescribeInstanceTopology"), 1u);
}

TEST_F(AwsNodesTest, AWS_50_AZoneThatNobodyKnowsHoldsNoNodeForLong) {
  cloud.add_machine(1).zone = "us-east-1-new-1a";
  start();
  EXPECT_EQ(provider->list()->instances.front().state, InstanceState::starting);
  host.loop.advance(milliseconds(30'000));
  cloud.zones["us-east-1-new-1a"] = "use1-new-az1";
  const Instance known = provider->list()->instances.front();
  EXPECT_EQ(known.state, InstanceState::running);
  EXPECT_EQ(label(known, "topology.k8s.aws/zone-id"), "use1-new-az1");
  cloud.machines[0].zone = "us-east-1-other-1a";
  EXPECT_EQ(provider->list()->instances.front().state, InstanceState::starting);
  host.loop.advance(milliseconds(61'000));
  EXPECT_EQ(provider->list()->instances.front().state, InstanceState::running);
}

TEST_F(AwsNodesTest, Issue43_TwoNodesOfOneInstanceAreNotBothInitialised) {
  host.kube.read("v1/nodes", {"/spec/providerID"});
  const std::string id = cloud.add_machine(1).id;
  start();
  const std::string with_domain = id + ".ec2.internal";
  const auto node_of = [&](const std::string& name) {
    const std::string json = R"({"metadata":{"name":")" + name + R"("}})";
    host.kube.put("v1/nodes", json);
    return NodeIdentity{name, {}, node(json)};
  };
  const NodeIdentity first = node_of(with_domain);
  const NodeIdentity second = node_of(id);
  const auto both = provider->describe({first, second});
  ASSERT_TRUE(both.ok()) << both.status().message();
  EXPECT_EQ((*both)[0].state, InstanceState::unknown) << "absent ones are deleted";
  EXPECT_EQ((*both)[1].provider_id, "aws:///us-east-1a/" + id);
  ASSERT_EQ(host.events.with_reason("InstanceTaken").size(), 1U);
  EXPECT_EQ(host.events.with_reason("InstanceTaken").front().message,
            "Node " + id + " has instance " + id);
  // Also when they are asked about one by one, and by another process.
  EXPECT_EQ(provider->describe({first})->front().state, InstanceState::unknown);
  host.kube.put("v1/nodes", R"({"metadata":{"name":")" + with_domain +
                                R"("},"spec":{"providerID":"aws:///us-east-1a/)" + id + "\"}}");
  start();
  EXPECT_EQ(provider->describe({second})->front().state, InstanceState::unknown);
  host.kube.remove("v1/nodes", with_domain);
  EXPECT_EQ(provider->describe({second})->front().provider_id, "aws:///us-east-1a/" + id);
}

TEST_F(AwsNodesTest, TheNodeThatIsCalledAsItsInstanceHasItWhoeverNamesIt) {
  host.kube.read("v1/nodes", {"/spec/providerID"});
  const aws_api::Machine& machine = cloud.add_machine(1);
  const std::string name = machine.private_dns;
  start();
  host.kube.put("v1/nodes", R"({"metadata":{"name":"evil"},"spec":{"providerID":"aws:///z/)" +
                                machine.id + "\"}}");
  host.kube.put("v1/nodes", R"({"metadata":{"name":")" + name + R"("}})");
  EXPECT_EQ(found_id(name), "aws:///us-east-1a/" + machine.id);
  // One that says its address gets neither the instance nor an absence.
  const std::string json = R"({"metadata":{"name":"other"},"status":{"addresses":
      [{"type":"InternalIP","address":"10.0.0.1"}]}})";
  host.kube.put("v1/nodes", json);
  EXPECT_EQ(described("other", {}, node(json)).state, InstanceState::unknown);
  const auto taken = host.events.with_reason("InstanceTaken");
  ASSERT_EQ(taken.size(), 1U);
  EXPECT_EQ(taken.front().message, "Node evil has instance " + machine.id)
      << "nobody who is called so asks";
}

}  // namespace
}  // namespace ccm::aws

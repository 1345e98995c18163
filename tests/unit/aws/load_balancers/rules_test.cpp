// Names, subnets, rules and targets: what needs no API.
#include "aws/digests/sha1.hpp"
#include "aws/load_balancers/classic.hpp"
#include "aws/load_balancers/elbv2.hpp"
#include "aws/load_balancers/names.hpp"
#include "aws/load_balancers/node_groups.hpp"
#include "aws/load_balancers/subnets.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ccm::aws {
namespace {

std::vector<std::string> ids_of(const Result<std::vector<Subnet>>& chosen) {
  std::vector<std::string> ids;
  if (!chosen.ok()) return {chosen.status().message()};
  for (const Subnet& subnet : *chosen) ids.push_back(subnet.id);
  return ids;
}

using Ids = std::vector<std::string>;

TEST(AwsNamesTest, AWS_99_Sha1IsThatOfTheStandard) {
  EXPECT_EQ(sha1_hex(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(sha1_hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(sha1_hex(std::string(1'000'000, 'a')), "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
  EXPECT_EQ(sha1_hex(std::string(55, 'a')), "c1c8bbdc22796e28c0e15163d20899b65621d65a");
  EXPECT_EQ(sha1_hex(std::string(56, 'a')), "c2db330f6083854c99d4b5bfb6e8f29f201be699");
}

TEST(AwsNamesTest, AWS_62_89_99_NamesAreThoseOfTheGoManager) {
  EXPECT_EQ(load_balancer_name("0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0"),
            "a0b1c2d3e4f5061728394a5b6c7d8e9f");
  EXPECT_TRUE(is_made_name("a0b1c2d3e4f5061728394a5b6c7d8e9f"));
  EXPECT_FALSE(is_made_name("my-load-balancer"));
  EXPECT_EQ(target_group_name({"c1", "default", "web", 80, 30'080, "TCP", "TCP", 30}),
            "k8s-default-web-2e7f1b24e2");
  EXPECT_EQ(
      target_group_name({"c1", "kube-system", "my-long-service", 80, 30'080, "TCP", "TCP", 30})
          .substr(0, 22),
      "k8s-kubesyst-mylongse-");
  EXPECT_EQ(classic_group_name("a0b1"), "k8s-elb-a0b1");
}

class AwsSubnetsTest : public ::testing::Test {
 protected:
  AwsSubnetsTest() {
    network.tables = {
        {{"subnet-pub-a", "subnet-pub-b", "subnet-second", "subnet-bos"}, false, true},
        {{}, true, false}};
    add("subnet-pub-a", "us-east-1a", "kubernetes.io/role/elb");
    add("subnet-second", "us-east-1a", "");
    add("subnet-pub-b", "us-east-1b", "kubernetes.io/role/elb");
    add("subnet-bos", "us-east-1-bos-1a", "kubernetes.io/role/elb");
    add("subnet-priv-a", "us-east-1a", "kubernetes.io/role/internal-elb");
    network.zone_types["us-east-1-bos-1a"] = "local-zone";
  }
  void add(const std::string& id, const std::string& zone, const std::string& role) {
    Subnet subnet{id, zone, "10.0.0.0/24", "", {{"kubernetes.io/cluster/c1", "shared"}}};
    if (!role.empty()) subnet.tags[role] = "1";
    subnet.tags["Name"] = "name-of-" + id;
    network.subnets.push_back(subnet);
  }
  Network network;
  SubnetWish wish{{}, false, "kubernetes.io/cluster/c1", "", false};
};

TEST_F(AwsSubnetsTest, AWS_77_78_79_OnePublicSubnetAZoneTheOneWithTheRole) {
  EXPECT_EQ(ids_of(choose_subnets(network, wish)), (Ids{"subnet-pub-a", "subnet-pub-b"}));
  wish.internal = true;
  EXPECT_EQ(ids_of(choose_subnets(network, wish)), (Ids{"subnet-priv-a", "subnet-pub-b"}));
}

TEST_F(AwsSubnetsTest, AWS_14_76_ThoseOfOtherClustersAreLeftOutAndThoseOfNoneAreNot) {
  network.subnets.resize(1);
  network.subnets[0].tags = {{"kubernetes.io/cluster/other", "owned"}};
  EXPECT_EQ(ids_of(choose_subnets(network, wish)),
            (Ids{"could not find any suitable subnets for creating the ELB"}));
  wish.fallback = "subnet-pub-a";
  EXPECT_EQ(ids_of(choose_subnets(network, wish)), (Ids{"subnet-pub-a"}));
  network.subnets[0].tags.clear();
  wish.fallback.clear();
  EXPECT_EQ(ids_of(choose_subnets(network, wish)), (Ids{"subnet-pub-a"}));
}

TEST_F(AwsSubnetsTest, AWS_75_NamedOnesKeepTheirOrderAndAreAllThere) {
  wish.named = {"name-of-subnet-pub-b", "subnet-pub-a"};
  EXPECT_EQ(ids_of(choose_subnets(network, wish)), (Ids{"subnet-pub-b", "subnet-pub-a"}));
  wish.named = {"subnet-pub-a", "subnet-none"};
  EXPECT_EQ(ids_of(choose_subnets(network, wish)),
            (Ids{"expected to find 2, but found 1 subnets"}));
  wish.named = {"subnet-pub-a", "subnet-second"};
  EXPECT_EQ(ids_of(choose_subnets(network, wish)),
            (Ids{"subnets subnet-pub-a and subnet-second are both in zone us-east-1a"}));
}

TEST_F(AwsSubnetsTest, AWS_75_ANameThatTwoSubnetsHaveIsRefused) {
  network.subnets[2].tags["Name"] = "name-of-subnet-pub-a";
  wish.named = {"name-of-subnet-pub-a"};
  EXPECT_EQ(ids_of(choose_subnets(network, wish)),
            (Ids{"expected to find 1, but found 2 subnets"}));
}

TEST_F(AwsSubnetsTest, AWS_146_ADualStackOneNeedsIPv6InEachSubnet) {
  wish.dual_stack = true;
  EXPECT_NE(ids_of(choose_subnets(network, wish))[0].find("no range of IPv6"), std::string::npos);
}

TEST_F(AwsSubnetsTest, AWS_77_WithoutARouteTableNothingIsGuessed) {
  network.tables.clear();
  EXPECT_EQ(ids_of(choose_subnets(network, wish)),
            (Ids{"could not find the route table of subnet-pub-a"}));
}

TEST(AwsClassicSubnetsTest, AWS_81_NoZoneHasTwoSubnetsAndOneAlwaysStays) {
  const std::map<std::string, std::string, std::less<>> zones{
      {"a1", "a"}, {"a2", "a"}, {"b1", "b"}, {"b2", "b"}, {"c1", "c"}};
  const SubnetSteps steps = subnet_steps({"a1", "b1"}, {"a2", "c1"}, zones);
  EXPECT_EQ(steps.attach_first, (Ids{"c1"}));
  EXPECT_EQ(steps.detach, (Ids{"a1", "b1"}));
  EXPECT_EQ(steps.attach_last, (Ids{"a2"}));
  EXPECT_TRUE(subnet_steps({"a1"}, {"a1"}, zones).empty());
}

SecurityGroup group_with(const Rules& rules) { return {"sg-1", "nodes", "", {}, rules}; }

TEST(AwsRulesTest, AWS_109_AreTheGoManagersWithTheirDescriptions) {
  Rules wanted;
  allow_port(wanted, "tcp", 30'080, {"0.0.0.0/0"}, "kubernetes.io/rule/nlb/client=a1");
  const RuleChange change = marked_rules_change(group_with({}), "a1", wanted);
  ASSERT_EQ(change.add.size(), 2U);
  EXPECT_TRUE(change.remove.empty());
  const Rule& mtu = *change.add.begin();
  EXPECT_EQ(mtu.protocol, "icmp");
  EXPECT_EQ(mtu.from, 3);
  EXPECT_EQ(mtu.to, 4);
  EXPECT_EQ(mtu.description, "kubernetes.io/rule/nlb/mtu");
  EXPECT_TRUE(marked_rules_change(group_with(change.add), "a1", wanted).empty());
}

TEST(AwsRulesTest, AWS_109_TheSharedRuleGoesWithTheLastClientOfItsRange) {
  Rules rules;
  allow_port(rules, "tcp", 30'080, {"10.1.0.0/16"}, "kubernetes.io/rule/nlb/client=a1");
  allow_port(rules, "tcp", 30'081, {"10.1.0.0/16"}, "kubernetes.io/rule/nlb/client=a2");
  allow_path_mtu(rules, {"10.1.0.0/16"}, "kubernetes.io/rule/nlb/mtu");
  const RuleChange first = marked_rules_change(group_with(rules), "a1", {});
  EXPECT_EQ(first.remove.size(), 1U);
  for (const Rule& rule : first.remove) rules.erase(rule);
  EXPECT_EQ(marked_rules_change(group_with(rules), "a2", {}).remove.size(), 2U);
}

TEST(AwsRulesTest, AWS_110_RulesOfChecksThatTheGoManagerLeftGoWithTheNextChange) {
  Rules wanted;
  allow_port(wanted, "tcp", 30'080, {"0.0.0.0/0"}, "kubernetes.io/rule/nlb/client=a1");
  Rules rules = wanted;
  allow_port(rules, "tcp", 30'080, {"10.0.0.0/24"}, "kubernetes.io/rule/nlb/health=a1");
  EXPECT_TRUE(marked_rules_change(group_with(rules), "a1", wanted).empty());
  allow_port(wanted, "tcp", 30'081, {"0.0.0.0/0"}, "kubernetes.io/rule/nlb/client=a1");
  const RuleChange change = marked_rules_change(group_with(rules), "a1", wanted);
  EXPECT_EQ(change.remove.size(), 1U);
  EXPECT_EQ(marked_rules_change(group_with(rules), "a1", {}).remove.size(), 2U);
}

// EC2 has one rule for the same node port in two clusters.
TEST(AwsRulesTest, AWS_117_PortsFromAGroupAreNobodyElsesInAGroupOfOneCluster) {
  Rules rules;
  allow_port(rules, "tcp", 30'080, {"sg-2"}, "kubernetes.io/rule/nlb/client=a1");
  SecurityGroup nodes = group_with(rules);
  const SourceUsers others{"kubernetes.io/cluster/c1",
                           {{"sg-2", {"kubernetes.io/cluster/c1", "kubernetes.io/cluster/c2"}}}};
  nodes.tags = {{"kubernetes.io/cluster/c1", "owned"}};
  EXPECT_EQ(marked_rules_change(nodes, "a1", {}, others).remove.size(), 1U);
  nodes.tags["KubernetesCluster"] = "c2";
  EXPECT_TRUE(marked_rules_change(nodes, "a1", {}, others).empty());
  EXPECT_EQ(marked_rules_change(nodes, "a1", {}, {}).remove.size(), 1U);
  nodes.tags = {{"kubernetes.io/cluster/c2", "owned"}};
  EXPECT_TRUE(marked_rules_change(nodes, "a1", {}, others).empty()) << "that is c2's, not ours";
  nodes.tags.clear();
  EXPECT_TRUE(marked_rules_change(nodes, "a1", {}, others).empty());
}

TEST(AwsRulesTest, RulesOfPeopleStay) {
  Rules rules{{"tcp", 22, 22, "10.0.0.0/16", "ssh"}, {"tcp", 30'080, 30'080, "10.0.0.0/8", "mine"}};
  Rules wanted;
  allow_port(wanted, "tcp", 30'080, {"10.0.0.0/8"}, "kubernetes.io/rule/nlb/client=a1");
  EXPECT_TRUE(marked_rules_change(group_with(rules), "a1", wanted).empty());
  EXPECT_TRUE(marked_rules_change(group_with(rules), "a1", {}).empty());
}

TEST(AwsRulesTest, AWS_147_EachFamilyHasItsFieldAndEachPortOnePermission) {
  Params params;
  Rules rules;
  allow_port(rules, "tcp", 80, {"10.0.0.0/8", "2001:db8::/32"}, "why");
  allow_group(rules, "sg-2", "");
  set_permissions(params, rules);
  std::string all;
  for (const auto& entry : params.entries()) all += entry.path + "=" + entry.value + "\n";
  EXPECT_EQ(all,
            "IpPermissions[1].IpProtocol=-1\nIpPermissions[1].Groups[1].GroupId=sg-2\n"
            "IpPermissions[2].IpProtocol=tcp\nIpPermissions[2].FromPort=80\n"
            "IpPermissions[2].ToPort=80\nIpPermissions[2].IpRanges[1].CidrIp=10.0.0.0/8\n"
            "IpPermissions[2].IpRanges[1].Description=why\n"
            "IpPermissions[2].Ipv6Ranges[1].CidrIpv6=2001:db8::/32\n"
            "IpPermissions[2].Ipv6Ranges[1].Description=why\n");
}

TEST(AwsRulesTest, AWS_92_TheGroupOfAnInstanceIsTheOneThatIsTagged) {
  SecurityGroups known;
  known["sg-1"] = {"sg-1", "nodes", "", {{"kubernetes.io/cluster/c1", "owned"}}, {}};
  known["sg-2"] = {"sg-2", "other", "", {}, {}};
  known["sg-3"] = {"sg-3", "also", "", {{"kubernetes.io/cluster/c1", "owned"}}, {}};
  const std::string tag = "kubernetes.io/cluster/c1";
  std::string why_not;
  EXPECT_EQ(group_of_instance({"sg-1", "sg-2"}, known, tag, why_not), "sg-1");
  EXPECT_EQ(group_of_instance({"sg-2"}, known, tag, why_not), "sg-2");
  EXPECT_EQ(group_of_instance({}, known, tag, why_not), "");
  EXPECT_EQ(why_not, "");
  EXPECT_EQ(group_of_instance({"sg-1", "sg-3"}, known, tag, why_not), "");
  EXPECT_NE(why_not.find("Multiple tagged security groups"), std::string::npos);
  known["sg-4"] = {"sg-4", "old", "", {{"KubernetesCluster", "c1"}}, {}};
  known["sg-5"] = {"sg-5", "another's", "", {{"KubernetesCluster", "c2"}}, {}};
  EXPECT_EQ(group_of_instance({"sg-2", "sg-4", "sg-5"}, known, tag, why_not), "sg-4");
}

// What a tenant can make long: ports times ranges. Each rule is looked at a bounded number of
// times.
TEST(AwsRulesTest, TenThousandRulesAreComparedInNoTime) {
  Rules wanted;
  std::vector<std::string> ranges;
  for (int i = 0; i < 200; ++i) ranges.push_back("10.0." + std::to_string(i) + ".0/24");
  for (int port = 30'000; port < 30'050; ++port) {
    allow_port(wanted, "tcp", port, ranges, "kubernetes.io/rule/nlb/client=a1");
  }
  const auto begun = std::chrono::steady_clock::now();
  const RuleChange change = marked_rules_change(group_with({}), "a1", wanted);
  EXPECT_EQ(change.add.size(), 10'200U);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(5));
}

TEST(AwsTargetsTest, AWS_73_TheInstancesOfARefusalAreRead) {
  EXPECT_EQ(named_instances("The following targets are not in a running state: "
                            "'i-0123456789abcdef0, i-01234567' and i-xyz"),
            (Ids{"i-0123456789abcdef0", "i-01234567"}));
  EXPECT_TRUE(named_instances("i-").empty());
}

}  // namespace
}  // namespace ccm::aws

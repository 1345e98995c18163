// Which Nodes are members, and with which of their addresses.
#include "load_balancers_fixture.hpp"
#include "openstack_api/add_servers.hpp"

#include <set>

namespace ccm::openstack {
namespace {

using Texts = std::vector<std::string>;

class OpenStackMembersTest : public OpenStackLoadBalancersTest {
 protected:
  OpenStackMembersTest() { openstack_api::add_servers(cloud, facts, "dual-", 3, "dual"); }

  // The servers on the network of both families; `families`: which of their addresses they show.
  std::vector<Backend> dual_nodes(const std::set<std::string>& families) {
    std::vector<Backend> list;
    for (const json& server : cloud.region().compute.servers()) {
      const std::string name = server.at("name");
      if (!name.starts_with("dual-")) continue;
      Backend node{name, "openstack:///" + server.at("id").get<std::string>(), {}, {}};
      for (const std::string& address : addresses_of(server.at("id"))) {
        const bool v6 = address.find(':') != std::string::npos;
        if (families.contains(v6 ? "IPv6" : "IPv4")) {
          node.addresses.push_back({"InternalIP", address});
        }
      }
      list.push_back(std::move(node));
    }
    return list;
  }
  Texts addresses_of(const std::string& server) {
    Texts list;
    for (const json& port : cloud.region().network.records("ports")) {
      if (port.at("device_id") != server) continue;
      for (const json& fixed : port.at("fixed_ips")) list.push_back(fixed.at("ip_address"));
    }
    return list;
  }
  LoadBalancerService of_families(std::vector<std::string> families,
                                  const std::map<std::string, std::string>& annotations = {}) {
    LoadBalancerService service = web();
    service.ip_families = std::move(families);
    return annotated(std::move(service), annotations);
  }
  std::set<std::string> members() {
    std::set<std::string> found;
    octavia().advance();
    for (const json& member : octavia().records("members")) found.insert(member.at("address"));
    return found;
  }
  std::set<std::string> subnets_of_members() {
    std::set<std::string> found;
    for (const json& member : octavia().records("members")) found.insert(member.at("subnet_id"));
    return found;
  }
  static std::set<std::string> shown(const std::vector<Backend>& nodes) {
    std::set<std::string> found;
    for (const Backend& node : nodes) found.insert(node.addresses.front().address);
    return found;
  }
  Backend labelled(Backend node, const std::string& key, const std::string& value) {
    const json object = {{"metadata", {{"name", node.name}, {"labels", {{key, value}}}}}};
    node.node = host.objects.make(object.dump());
    return node;
  }
};

TEST_F(OpenStackMembersTest, occm_1855_1086_MembersHaveTheFamilyOfTheServiceNotOfTheVip) {
  start("subnet-id = " + id("dual-v6") + "\n");
  const LoadBalancerService service = of_families({"IPv4"});
  const auto nodes = dual_nodes({"IPv4"});
  const LoadBalancer made = ensured(service, nodes);
  EXPECT_NE(only("loadbalancers").at("vip_address").get<std::string>().find(':'),
            std::string::npos);
  EXPECT_EQ(members(), shown(nodes));
  EXPECT_EQ(members().size(), 3U);
  EXPECT_EQ(made.no_members, "");
  EXPECT_EQ(observe(service, nodes)->difference, "");
}

// Taking over what serves must not empty its pool: it went from 3 members to 0.
TEST_F(OpenStackMembersTest, occm_1855_1086_TakingOverAPoolThatServesLeavesItsMembers) {
  start("subnet-id = " + id("dual-v6") + "\n");
  const LoadBalancerService service = of_families({"IPv4"});
  const auto nodes = dual_nodes({"IPv4"});
  const LoadBalancer made = ensured(service, nodes);
  leave_no_marks();
  start("subnet-id = " + id("dual-v6") + "\n");
  LoadBalancerService left = annotated(service, {}, made.ingress[0].ip);
  left.ip_families = service.ip_families;
  ensured(left, nodes);
  EXPECT_EQ(members(), shown(nodes));
}

// On the subnet of that family, or the load balancer has no way to them.
TEST_F(OpenStackMembersTest, occm_1855_MembersOfAnotherFamilyThanTheVipAreOnTheNodesSubnet) {
  start("network-id = " + id("dual") + "\n");
  ensured(of_families({"IPv6"}), dual_nodes({"IPv6"}));
  const LoadBalancerService service = of_families({"IPv4"});
  const auto nodes = dual_nodes({"IPv4"});
  ensured(service, nodes);
  EXPECT_EQ(members(), shown(nodes));
  EXPECT_EQ(subnets_of_members(), std::set<std::string>{id("dual-v4")});
}

TEST_F(OpenStackMembersTest, occm_1855_R_180_WithoutANodeOfTheFamilyWhatServesStays) {
  const auto four = dual_nodes({"IPv4"});
  const auto six = dual_nodes({"IPv6"});
  start("manage-security-groups = true\nsubnet-id = " + id("dual-v4") + "\n");
  const LoadBalancerService service = of_families({"IPv4"});
  ensured(service, four);
  ASSERT_EQ(members().size(), 3U);
  cloud.clear_log();
  const auto updated = update(service, six);
  ASSERT_TRUE(updated.ok()) << updated.status().message();
  EXPECT_EQ(updated->no_members,
            "no Node has an IPv4 address, the Service's family; the 3 members that it has stay");
  EXPECT_EQ(ensured(service, six).no_members, updated->no_members);
  const auto observed = observe(service, six);
  EXPECT_EQ(observed->no_members, updated->no_members);
  EXPECT_EQ(observed->difference, "");
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_EQ(members().size(), 3U);
  EXPECT_EQ(ensured(service, four).no_members, "");
}

// Not even slowly: a drain would take one after the other.
TEST_F(OpenStackMembersTest, R_180_NorAreTheyDrained) {
  start("member-drain-timeout = 30s\nsubnet-id = " + id("dual-v4") + "\n");
  const LoadBalancerService service = of_families({"IPv4"});
  ensured(service, dual_nodes({"IPv4"}));
  cloud.clear_log();
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(update(service, dual_nodes({"IPv6"})).ok());
    host.loop.advance(minutes(1));
  }
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_EQ(members().size(), 3U);
}

// A pool of another protocol would begin with none.
TEST_F(OpenStackMembersTest, R_180_NorIsThePoolReplaced) {
  start("subnet-id = " + id("dual-v4") + "\n");
  const auto four = dual_nodes({"IPv4"});
  ensured(of_families({"IPv4"}), four);
  const LoadBalancerService changed = of_families({"IPv4"}, {{"proxy-protocol", "v1"}});
  ensured(changed, dual_nodes({"IPv6"}));
  EXPECT_EQ(members(), shown(four));
  ensured(changed, four);
  EXPECT_EQ(only("pools").at("protocol"), "PROXY");
  EXPECT_EQ(members(), shown(four));
}

TEST_F(OpenStackMembersTest, R_180_ANewOneWithoutMembersSaysSo) {
  start("subnet-id = " + id("dual-v4") + "\n");
  const LoadBalancer made = ensured(of_families({"IPv4"}), dual_nodes({"IPv6"}));
  EXPECT_EQ(made.no_members, "no Node has an IPv4 address, the Service's family");
  EXPECT_EQ(members().size(), 0U);
}

TEST_F(OpenStackMembersTest, R_180_WithoutNodesTheMembersGo) {
  start("subnet-id = " + id("private-v4") + "\n");
  ensured(web(), nodes());
  ASSERT_EQ(members().size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const auto updated = update(web(), {});
    ASSERT_TRUE(updated.ok());
    EXPECT_EQ(updated->no_members, "");
    host.loop.advance(seconds(1));
  }
  EXPECT_EQ(members().size(), 0U);
}

TEST_F(OpenStackMembersTest, ADualStackServiceTakesEachNodeAsItComes) {
  start("subnet-id = " + id("dual-v4") + "\n");
  auto mixed = dual_nodes({"IPv4", "IPv6"});
  mixed[2] = dual_nodes({"IPv6"})[2];
  ensured(of_families({"IPv4", "IPv6"}), mixed);
  std::set<std::string> wanted;
  for (const Backend& node : mixed) {
    for (const NodeAddress& each : node.addresses) {
      const bool v4 = each.address.find('.') != std::string::npos;
      if (v4 || node.addresses.size() == 1) wanted.insert(each.address);
    }
  }
  EXPECT_EQ(members(), wanted);
}

TEST_F(OpenStackMembersTest, hcloud_1035_OS_399_TheLabelsThatItChoosesByAreTold) {
  start("subnet-id = " + id("private-v4") + "\n");
  const LoadBalancerService service =
      annotated(web(), {{"node-selector", "pool=edge, topology.kubernetes.io/zone"}});
  auto all = nodes();
  all[0] = labelled(all[0], "pool", "edge");
  const Texts keys{"pool", "topology.kubernetes.io/zone"};
  const LoadBalancer made = ensured(service, all);
  EXPECT_EQ(made.node_labels, keys);
  EXPECT_EQ(made.no_members,
            "no Node has the labels of node-selector, pool=edge,topology.kubernetes.io/zone");
  const LoadBalancerService simple = annotated(web(), {{"node-selector", "pool=edge"}});
  EXPECT_EQ(ensured(simple, all).no_members, "");
  EXPECT_EQ(members(), std::set<std::string>{all[0].addresses[0].address});
  EXPECT_EQ(update(simple, all)->node_labels, Texts{"pool"});
  EXPECT_EQ(observe(simple, all)->node_labels, Texts{"pool"});
  EXPECT_EQ(ensured(web(), all).node_labels, Texts{});
}

// Looked at again when the Service changes and every ten minutes, as any other wrong word.
TEST_F(OpenStackMembersTest, Issue37_AMemberSubnetThatIsNotThereIsTheServicesFault) {
  start("subnet-id = " + id("private-v4") + "\n");
  const std::string wrong = "11111111-0000-4000-8000-000000000000";
  const auto service = annotated(web(), {{"member-subnet-id", wrong}});
  for (const Status& refused : {ensure(service, nodes()).status(), failure(service)}) {
    EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
    EXPECT_EQ(refused.reason(), "SubnetNotFound");
    EXPECT_EQ(refused.message(), "member-subnet-id: Neutron shows no subnet " + wrong);
  }
  ensured(web(), nodes());
  EXPECT_EQ(update(service, nodes(2)).status().error_class(), ErrorClass::invalid_spec);
}

TEST_F(OpenStackMembersTest, Issue37_R_96_ASelectorOfMoreLabelsThanAnAnswerMayHaveWorks) {
  start("subnet-id = " + id("private-v4") + "\n");
  std::string selector;
  for (int i = 0; i < 65; ++i) selector += "label-" + std::to_string(100 + i) + ",";
  const LoadBalancer made = ensured(annotated(web(), {{"node-selector", selector}}), nodes());
  EXPECT_EQ(made.node_labels.size(), 64U);
}

TEST_F(OpenStackMembersTest, hcloud_1035_R_180_ASelectorThatFitsNoNodeEmptiesNothing) {
  start("subnet-id = " + id("private-v4") + "\n");
  ensured(web(), nodes());
  const LoadBalancer kept = ensured(annotated(web(), {{"node-selector", "pool=egde"}}), nodes());
  EXPECT_EQ(kept.no_members,
            "no Node has the labels of node-selector, pool=egde; the 3 members that it has stay");
  EXPECT_EQ(members().size(), 3U);
}

// Two NICs, of which the second is on the members' subnet.
class OpenStackTwoNicsTest : public OpenStackMembersTest {
 protected:
  std::vector<Backend> two_nics() {
    std::vector<Backend> list;
    const json& network = *cloud.region().network.records("networks").find_by("name", "dual");
    const json& first = *cloud.region().network.records("networks").find_by("name", "private");
    const std::string demo = facts.at("projects").at("demo");
    for (int i = 0; i < 3; ++i) {
      const std::string name = "two-" + std::to_string(i);
      const json& server = cloud.region().compute.add_server(demo, facts.at("users").at("demo"),
                                                             name, facts.at("ids").at("m1.tiny"),
                                                             {first.at("id"), network.at("id")});
      Backend node{name, "openstack:///" + server.at("id").get<std::string>(), {}, {}};
      Texts addresses = addresses_of(server.at("id"));
      std::sort(addresses.begin(), addresses.end());  // 10.10. before 10.20.
      for (const std::string& address : addresses) {
        node.addresses.push_back({"InternalIP", address});
      }
      list.push_back(std::move(node));
    }
    return list;
  }
  static std::set<std::string> second_of(const std::vector<Backend>& nodes) {
    std::set<std::string> found;
    for (const Backend& node : nodes) {
      for (const NodeAddress& each : node.addresses) {
        if (each.address.starts_with("10.20.0.")) found.insert(each.address);
      }
    }
    return found;
  }
  std::size_t ports_with_a_group_of_ours() {
    auto& network = cloud.region().network;
    const json* group =
        network.records("security_groups").find_by("name", "lb-sg-0b1c-default-web");
    std::size_t count = 0;
    for (const json& port : network.records("ports")) {
      const json& groups = port.at("security_groups");
      count += group != nullptr &&
                       std::find(groups.begin(), groups.end(), group->at("id")) != groups.end()
                   ? 1
                   : 0;
    }
    return count;
  }
};

TEST_F(OpenStackTwoNicsTest, occm_3090_2698_TheAddressOnTheMemberSubnetIsTheMembers) {
  const auto nodes = two_nics();
  start("manage-security-groups = true\nsubnet-id = " + id("private-v4") +
        "\nmember-subnet-id = " + id("dual-v4") + "\n");
  const LoadBalancerService service = of_families({"IPv4"});
  ensured(service, nodes);
  EXPECT_EQ(second_of(nodes).size(), 3U);
  EXPECT_EQ(members(), second_of(nodes));
  EXPECT_EQ(subnets_of_members(), std::set<std::string>{id("dual-v4")});
  EXPECT_EQ(ports_with_a_group_of_ours(), 3U);
  EXPECT_EQ(events("LoadBalancerMembersOffSubnet"), Texts{});
  EXPECT_EQ(observe(service, nodes)->difference, "");
}

TEST_F(OpenStackTwoNicsTest, occm_3090_ANodeWithoutOneHasItsFirstAndAWarning) {
  auto nodes = two_nics();
  nodes[1].addresses.resize(1);
  start("subnet-id = " + id("private-v4") + "\nmember-subnet-id = " + id("dual-v4") + "\n");
  const LoadBalancerService service = of_families({"IPv4"});
  ensured(service, nodes);
  std::set<std::string> wanted = second_of(nodes);
  wanted.insert(nodes[1].addresses[0].address);
  EXPECT_EQ(members(), wanted);
  const Texts reported = events("LoadBalancerMembersOffSubnet");
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_NE(reported[0].find("(10.20.0.0/24)"), std::string::npos) << reported[0];
  EXPECT_TRUE(reported[0].ends_with(": two-1")) << reported[0];
}

// The subnet of the VIP says nothing of the members': a router may lead to them.
TEST_F(OpenStackTwoNicsTest, OS_238_TheVipsSubnetMovesNoMember) {
  const auto nodes = two_nics();
  start("subnet-id = " + id("dual-v4") + "\n");
  ensured(of_families({"IPv4"}), nodes);
  EXPECT_EQ(members(), shown(nodes));
  EXPECT_EQ(events("LoadBalancerMembersOffSubnet"), Texts{});
}

TEST_F(OpenStackMembersTest, occm_2333_ANetworkAloneGivesTheServicesFirstFamily) {
  const auto nodes = dual_nodes({"IPv4", "IPv6"});
  start("network-id = " + id("dual") + "\n");
  for (const std::vector<std::string>& families :
       {Texts{"IPv6", "IPv4"}, Texts{"IPv6"}, Texts{"IPv4", "IPv6"}, Texts{"IPv4"}}) {
    SCOPED_TRACE(families.front() + " of " + std::to_string(families.size()));
    const LoadBalancerService service = of_families(families);
    const LoadBalancer made = ensured(service, nodes);
    const json& balancer = only("loadbalancers");
    const bool six = balancer.at("vip_address").get<std::string>().find(':') != std::string::npos;
    EXPECT_EQ(six, families.front() == "IPv6");
    EXPECT_EQ(balancer.at("vip_network_id"), id("dual"));
    EXPECT_EQ(made.ingress.size(), families.size());
    ASSERT_TRUE(removed(service));
    known_id.clear();
  }
}

// As the host of a dry run does: reads are answered, writes are recorded and not sent.
class OpenStackDryRunTest : public OpenStackMembersTest {
 protected:
  void withhold_writes() {
    host.http.handle([this](const HttpRequest& request) {
      if (request.method == "GET" || request.url.find("/identity/") != std::string::npos) {
        return serve(request);
      }
      recorded.push_back(request);
      testing::FakeHttp::Answer answer;
      answer.outcome = Status(Code::failed_precondition, "dry run").with_reason("DryRun");
      return answer;
    });
  }
  Texts operations() const {
    Texts names;
    for (const HttpRequest& request : recorded) names.push_back(request.operation);
    return names;
  }
  std::vector<HttpRequest> recorded;
};

TEST_F(OpenStackDryRunTest, occm_1855_ADryRunGoesOnBehindTheFirstWriteAndShowsMembersThatGo) {
  start("subnet-id = " + id("private-v4") + "\n");
  const LoadBalancer made = ensured(web(2), nodes());
  leave_no_marks();
  withhold_writes();
  LoadBalancerService service = web(2);
  service.id = made.id;
  EXPECT_EQ(ensure(service, nodes(2)).status().reason(), "DryRun");
  EXPECT_EQ(operations(), (Texts{"UpdateLoadBalancer", "SetMembers", "SetMembers"}));
  const std::string gone = nodes()[2].addresses[0].address;
  for (const HttpRequest& request : recorded) {
    EXPECT_EQ(request.replaces,
              request.operation == "SetMembers" ? "1 of 3 members go: " + gone + " (node-2)" : "");
  }
  EXPECT_EQ(members().size(), 3U);
}

}  // namespace
}  // namespace ccm::openstack

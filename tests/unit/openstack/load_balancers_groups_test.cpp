// The security group through which a load balancer reaches the Nodes.
#include "load_balancers_fixture.hpp"

#include <set>

namespace ccm::openstack {
namespace {

class OpenStackSecurityGroupsTest : public OpenStackLoadBalancersTest {
 protected:
  OpenStackSecurityGroupsTest() { start("manage-security-groups = true\n"); }

  openstack_api::Network& network() { return cloud.region().network; }
  const json* group() {
    return network().records("security_groups").find_by("name", "lb-sg-0b1c-default-web");
  }
  // "tcp 30080 from 10.10.0.0/24".
  std::set<std::string> rules() {
    std::set<std::string> found;
    if (group() == nullptr) return found;
    for (const json& rule : network().records("security_group_rules")) {
      if (rule.at("security_group_id") != group()->at("id")) continue;
      found.insert(rule.at("direction") != "ingress"
                       ? std::string("outwards")
                       : rule.at("protocol").get<std::string>() + " " +
                             rule.at("port_range_min").dump() + " from " +
                             rule.at("remote_ip_prefix").get<std::string>());
    }
    return found;
  }
  std::size_t ports_with_it() {
    std::size_t count = 0;
    for (const json& port : network().records("ports")) {
      const json& groups = port.at("security_groups");
      const bool has = group() != nullptr &&
                       std::find(groups.begin(), groups.end(), group()->at("id")) != groups.end();
      count += has ? 1 : 0;
    }
    return count;
  }
};

TEST_F(OpenStackSecurityGroupsTest, OS_124_222_316_317_321_ItLetsTheMembersSubnetIn) {
  LoadBalancerService service = web(2);
  service.ports[1].protocol = "UDP";
  service.health_check_node_port = 32'000;
  ensured(service, nodes());
  EXPECT_EQ(rules(),
            (std::set<std::string>{"tcp 30080 from 10.10.0.0/24", "udp 30081 from 10.10.0.0/24",
                                   "tcp 32000 from 10.10.0.0/24"}));
  EXPECT_EQ(ports_with_it(), 3U);
  EXPECT_EQ(observe(service, nodes())->difference, "");
  cloud.clear_log();
  ensured(service, nodes());
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OpenStackSecurityGroupsTest, OS_318_322_423_ChangesOfPortsAndNodes) {
  ensured(web(2), nodes(3));
  auto changed = web(1);
  changed.ports[0].node_port = 30'500;
  EXPECT_EQ(observe(changed, nodes(2))->difference,
            "pool of port 81, listener of port 81, members of TCP port 80, security group");
  ensured(changed, nodes(2));
  EXPECT_EQ(rules(), (std::set<std::string>{"tcp 30500 from 10.10.0.0/24"}));
  EXPECT_EQ(ports_with_it(), 2U);
  EXPECT_TRUE(update(changed, nodes(3)).ok());
  EXPECT_TRUE(update(changed, nodes(3)).ok());
  EXPECT_EQ(ports_with_it(), 3U);
}

TEST_F(OpenStackSecurityGroupsTest, OS_304_311_324_325_400_ItGoesWithItsServiceInAnyCase) {
  ensured(web(), nodes());
  start();  // not managed any more
  ensured(web(), nodes());
  EXPECT_EQ(ports_with_it(), 3U);
  EXPECT_TRUE(removed(web()));
  EXPECT_EQ(group(), nullptr);
  start("manage-security-groups = true\n");
  known_id.clear();
  ensured(web(), nodes());
  octavia().set_status(known_id, "DELETED");
  EXPECT_TRUE(removed(web()));
  EXPECT_EQ(group(), nullptr) << "the load balancer was gone before";
}

TEST_F(OpenStackSecurityGroupsTest, OS_323_327_434_NodesOfOtherCloudsAndOpenPortsAreLeftOut) {
  auto list = nodes();
  list[0].provider_id = "rke2://node-0";
  for (json& port : network().records("ports")) {
    if (port.at("device_id") != id("node-1")) continue;
    port["port_security_enabled"] = false;
    port["security_groups"] = json::array();
  }
  ensured(web(), list);
  EXPECT_EQ(ports_with_it(), 1U);
}

TEST_F(OpenStackSecurityGroupsTest, OS_319_326_424_SomebodyElsesChangeOfAPortIsNotLost) {
  Fault fault;
  fault.method = "PUT";
  fault.path = "/ports/";
  fault.status = 412;
  fault.count = 2;
  cloud.faults.add(fault);
  ensured(web(), nodes());
  EXPECT_EQ(ports_with_it(), 3U);
  EXPECT_EQ(calls("/ports/", "PUT"), 5);
  EXPECT_EQ(calls("/ports/", "GET"), 2) << "the port is read again each time";
}

TEST_F(OpenStackSecurityGroupsTest, OS_326_424_APortThatNeverRestsIsAConflict) {
  Fault fault;
  fault.method = "PUT";
  fault.path = "/ports/";
  fault.status = 412;
  fault.count = -1;
  cloud.faults.add(fault);
  EXPECT_EQ(failure(web()).error_class(), ErrorClass::conflict);
  EXPECT_EQ(calls("/ports/", "PUT") % 5, 0);
}

// All of them come to the ports of one Node.
TEST_F(OpenStackSecurityGroupsTest, OS_321_424_ManyServicesAtOnceDoNotGetInEachOthersWay) {
  std::vector<LoadBalancerService> services;
  for (int i = 0; i < 8; ++i) {
    LoadBalancerService service = web();
    service.name = "web-" + std::to_string(i);
    service.uid = "uid-" + std::to_string(i);
    known_id.clear();
    service.id = ensured(service, nodes(1)).id;
    services.push_back(service);
  }
  cloud.latency = std::chrono::milliseconds(50);
  cloud.clear_log();
  const auto table = provider->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  const auto update_all = [&] {
    std::vector<testing::Pending<Result<LoadBalancer>>> running;
    for (const auto& service : services) {
      running.push_back(provider->start(
          "update",
          ccm::LoadBalancers::Apply{table, &ccm_cloud_loadbalancers::update_backends, "update",
                                    provider->ctx(), service, Backends(nodes(2))}));
    }
    host.loop.advance(seconds(20));
    for (const auto& each : running) EXPECT_TRUE(each.done());
  };
  update_all();  // the members
  update_all();
  for (json& port : network().records("ports")) {
    if (port.at("device_id") != id("node-1")) continue;
    EXPECT_EQ(port.at("security_groups").size(), 9U);
  }
}

TEST_F(OpenStackSecurityGroupsTest, OS_386_PortsAreReadToTheLastPage) {
  network().page_size = 1;
  ensured(web(), nodes());
  EXPECT_EQ(ports_with_it(), 3U);
  EXPECT_TRUE(removed(web()));
  EXPECT_EQ(group(), nullptr);
}

TEST_F(OpenStackSecurityGroupsTest, OS_317_320_333_WithOvnTheSourceRangesCount) {
  octavia().providers = {"ovn"};
  start("manage-security-groups = true\nlb-provider = ovn\n");
  LoadBalancerService service = web();
  service.source_ranges = {"192.0.2.0/24", "198.51.100.0/24", "fd00::/8"};
  ensured(service, nodes());
  EXPECT_EQ(rules(), (std::set<std::string>{"tcp 30080 from 192.0.2.0/24",
                                            "tcp 30080 from 198.51.100.0/24"}));
}

}  // namespace
}  // namespace ccm::openstack

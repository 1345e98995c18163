// Load balancers of two families in one: Octavia's additional VIPs (OS-350, OS-426).
#include "load_balancers_fixture.hpp"
#include "openstack_api/add_servers.hpp"

namespace ccm::openstack {
namespace {

class OpenStackFamiliesTest : public OpenStackLoadBalancersTest {
 protected:
  OpenStackFamiliesTest() {
    openstack_api::add_servers(cloud, facts, "dual-", 2, "dual");
    for (const json& server : cloud.region().compute.servers()) {
      const std::string name = server.at("name");
      if (!name.starts_with("dual-")) continue;
      Backend node{name, "openstack:///" + server.at("id").get<std::string>(), {}, {}};
      for (const json& port : cloud.region().network.records("ports")) {
        if (port.at("device_id") != server.at("id")) continue;
        for (const json& fixed : port.at("fixed_ips")) {
          node.addresses.push_back({"InternalIP", fixed.at("ip_address")});
        }
      }
      nodes_.push_back(std::move(node));
    }
  }
  LoadBalancerService service_of(const std::string& first, const std::string& second) {
    LoadBalancerService service = web();
    service.ip_families = {first, second};
    return annotated(std::move(service), {});
  }
  std::vector<std::string> addresses(const LoadBalancer& balancer) {
    std::vector<std::string> list;
    for (const Ingress& ingress : balancer.ingress) list.push_back(ingress.ip);
    return list;
  }
  std::string floating() {
    const json& record = *cloud.region().network.records("floatingips").begin();
    return record.at("floating_ip_address");
  }
  std::string six() {
    const json& balancer = only("loadbalancers");
    const std::string first = balancer.at("vip_address");
    return first.find(':') != std::string::npos
               ? first
               : balancer.at("additional_vips").at(0).at("ip_address").get<std::string>();
  }

  std::vector<Backend> nodes_;
};

TEST_F(OpenStackFamiliesTest, OS_426_BothAddressesOfOneLoadBalancer) {
  for (const auto& [first, second] : {std::pair("IPv4", "IPv6"), std::pair("IPv6", "IPv4")}) {
    SCOPED_TRACE(first);
    const LoadBalancerService service = service_of(first, second);
    const LoadBalancer made = ensured(service, nodes_);
    ASSERT_EQ(floating_ips(), 1U);
    EXPECT_EQ(addresses(made), (std::vector<std::string>{floating(), six()}));
    EXPECT_EQ(only("listeners").at("allowed_cidrs"), json::array({"0.0.0.0/0", "::/0"}));
    EXPECT_EQ(count("members"), 2U);
    cloud.clear_log();
    EXPECT_EQ(addresses(ensured(service, nodes_)), addresses(made));
    EXPECT_EQ(observe(service, nodes_)->difference, "");
    EXPECT_EQ(cloud.writes(), 0);
    ASSERT_TRUE(removed(service));
    EXPECT_EQ(count("loadbalancers"), 0U);
    EXPECT_EQ(floating_ips(), 0U);
    known_id.clear();
  }
  EXPECT_TRUE(events("LoadBalancerIPFamilyIgnored").empty());
}

TEST_F(OpenStackFamiliesTest, AnInternalOneHasItsOwnAddresses) {
  const LoadBalancerService service =
      annotated(service_of("IPv4", "IPv6"),
                {{"service.beta.kubernetes.io/openstack-internal-load-balancer", "true"}});
  const LoadBalancer made = ensured(service, nodes_);
  const json& balancer = only("loadbalancers");
  EXPECT_EQ(addresses(made),
            (std::vector<std::string>{balancer.at("vip_address").get<std::string>(), six()}));
  EXPECT_EQ(floating_ips(), 0U);
}

TEST_F(OpenStackFamiliesTest, OS_248_RangesOfBothFamiliesHold) {
  LoadBalancerService service = service_of("IPv4", "IPv6");
  service.source_ranges = {"192.0.2.0/24", "2001:db8::/32"};
  ensured(service, nodes_);
  EXPECT_EQ(only("listeners").at("allowed_cidrs"), json::array({"192.0.2.0/24", "2001:db8::/32"}));
}

TEST_F(OpenStackFamiliesTest, AGuestHasTheAddressesThatItAsksFor) {
  start("max-shared-lb = 3\n");
  const LoadBalancer owner = ensured(service_of("IPv4", "IPv6"), nodes_);
  ASSERT_EQ(owner.ingress.size(), 2U);
  const std::string families[] = {"IPv4", "IPv6"};
  for (int i = 0; i < 2; ++i) {
    LoadBalancerService guest = web();
    guest.name = guest.uid = "guest-" + families[i];
    guest.id = owner.id;
    guest.ports[0].port = 81 + i;
    guest.ip_families = {families[i]};
    EXPECT_EQ(addresses(ensured(annotated(guest, {}), nodes_)),
              std::vector<std::string>{owner.ingress[i].ip});
  }
}

TEST_F(OpenStackFamiliesTest, ANameStandsForBoth) {
  const LoadBalancer made =
      ensured(annotated(service_of("IPv4", "IPv6"), {{"hostname", "web.example.org"}}), nodes_);
  ASSERT_EQ(made.ingress.size(), 1U);
  EXPECT_EQ(made.ingress[0].hostname, "web.example.org");
}

TEST_F(OpenStackFamiliesTest, OneThatCannotHaveBothSaysWhy) {
  octavia().newest_version = 25;
  start();
  const LoadBalancer old = ensured(service_of("IPv4", "IPv6"), nodes_);
  EXPECT_EQ(old.ingress.size(), 1U);
  ASSERT_EQ(events("LoadBalancerIPFamilyIgnored").size(), 1U);
  EXPECT_NE(events("LoadBalancerIPFamilyIgnored")[0].find("need Octavia 2.26"), std::string::npos);

  // The cloud was upgraded; what exists stays as it is.
  octavia().newest_version = 30;
  start();
  ensured(service_of("IPv4", "IPv6"), nodes_);
  ASSERT_EQ(events("LoadBalancerIPFamilyIgnored").size(), 2U);
  EXPECT_NE(events("LoadBalancerIPFamilyIgnored")[1].find("only when it is created"),
            std::string::npos);
  EXPECT_EQ(count("loadbalancers"), 1U);
}

TEST_F(OpenStackFamiliesTest, TheSecondSubnetIsOneOfTheSameNetwork) {
  start("subnet-id = " + id("private-v4") + "\n");
  const LoadBalancer made = ensured(service_of("IPv4", "IPv6"), nodes_);
  EXPECT_EQ(made.ingress.size(), 1U);
  const auto reported = events("LoadBalancerIPFamilyIgnored");
  ASSERT_EQ(reported.size(), 1U);
  EXPECT_NE(reported[0].find("on a network on which Nodes have"), std::string::npos);

  start("network-id = " + id("dual") + "\n");
  ASSERT_TRUE(removed(service_of("IPv4", "IPv6")));
  known_id.clear();
  EXPECT_EQ(ensured(service_of("IPv4", "IPv6"), nodes_).ingress.size(), 2U);
}

}  // namespace
}  // namespace ccm::openstack

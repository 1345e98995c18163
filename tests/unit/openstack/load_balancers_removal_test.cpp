// The end of load balancers: nothing is left, and nothing of others goes.
#include "load_balancers_fixture.hpp"

namespace ccm::openstack {
namespace {

class OpenStackRemovalTest : public OpenStackLoadBalancersTest {
 protected:
  LoadBalancerService recorded(LoadBalancerService service) {
    service.id = known_id;
    return service;
  }
  // Its listeners keep their tags.
  void take_the_tags_off() {
    json& balancer = *octavia().records("loadbalancers").begin();
    balancer["name"] = "by-hand";
    balancer["tags"] = json::array({"mine"});
  }
  // A Service on a load balancer that a user made, with a floating IP that it made for it.
  LoadBalancerService served_by_a_users_own() {
    start("internal-lb = true\n");
    LoadBalancerService service = web();
    service.adopt_id = ensured(web(2), nodes()).id;
    take_the_tags_off();
    for (json& listener : octavia().records("listeners")) listener["tags"] = json::array();
    start();
    service.uid = "heir";
    service.ports[0].port = 90;
    ensured(service, nodes());
    service.id = std::exchange(service.adopt_id, "");
    return service;
  }
  Status end_of_removal(const LoadBalancerService& service) {
    Status last;
    for (int i = 0; i < 20; ++i) {
      last = remove(service);
      if (last.error_class() != ErrorClass::waiting) break;
      host.loop.advance(seconds(1));
    }
    return last;
  }
};

// Each call of a removal fails once, in each way: it is not taken for over while something is left.
TEST_F(OpenStackRemovalTest, OS_195_AFailureAtAnyCallOfARemovalLeavesNothing) {
  for (const int status : {401, 403, 404, 409, 429, 500, 503}) {
    for (const bool cascade : {true, false}) {
      for (int spared = 0; spared < 12; ++spared) {
        SCOPED_TRACE(std::to_string(status) + " after " + std::to_string(spared));
        known_id.clear();
        start(cascade ? "" : "cascade-delete = false\n");
        ensured(web(2), nodes());
        Fault fault;
        fault.path = "/(networking|load-balancer|identity)/";
        fault.status = status;
        fault.skip = spared;
        if (status == 404) {  // a service's own would be the truth but for what has to exist
          fault.method = "GET";
          fault.path = R"(\?(tags|name|loadbalancer_id|port_id)|/members|security-groups)";
        }
        cloud.faults.add(fault);
        LoadBalancerService recorded = web(2);
        recorded.id = known_id;
        for (int i = 0; i < 10; ++i) {
          const Status gone = remove(recorded);
          EXPECT_NE(gone.error_class(), ErrorClass::not_found) << gone.message();
          EXPECT_NE(gone.code(), Code::not_found) << gone.message();
          if (gone.ok()) break;
          host.loop.advance(seconds(1));
        }
        cloud.faults.clear();
        ASSERT_EQ(count("loadbalancers") + count("pools") + floating_ips(), 0U);
      }
    }
  }
}

// A proxy's 404 says nothing about the load balancer.
TEST_F(OpenStackRemovalTest, OS_195_307_AProxyThatKnowsNothingEndsNoRemoval) {
  ensured(web(), nodes());
  LoadBalancerService recorded = web();
  recorded.id = known_id;
  for (const char* service : {"/load-balancer/", "/networking/"}) {
    Fault fault;
    fault.path = service;
    fault.status = 404;
    fault.body = "<html>404 Not Found</html>";
    fault.count = -1;
    cloud.faults.add(fault);
    for (int i = 0; i < 5; ++i) {
      const Status gone = remove(recorded);
      EXPECT_EQ(gone.error_class(), ErrorClass::unavailable) << gone.message();
      EXPECT_NE(gone.code(), Code::not_found);
    }
    cloud.faults.clear();
    EXPECT_EQ(count("loadbalancers") + floating_ips(), 2U);
  }
  EXPECT_TRUE(removed(recorded));
}

TEST_F(OpenStackRemovalTest, OS_307_WithoutRoutersThereIsNoFloatingIpToRelease) {
  start("internal-lb = true\n");
  ensured(web(), nodes());
  std::erase(cloud.region().network.extensions, "router");
  EXPECT_TRUE(removed(web()));
  EXPECT_EQ(count("loadbalancers"), 0U);
}

// octavia.conf: allow_filtering = False.
TEST_F(OpenStackRemovalTest, OS_226_307_AnOctaviaThatIgnoresFiltersLosesNothingOfOthers) {
  octavia().allow_filtering = false;
  for (const bool cascade : {true, false}) {
    start(cascade ? "" : "cascade-delete = false\n");
    known_id.clear();
    LoadBalancerService other = web();
    other.name = "other";
    other.uid = "other";
    const std::string its = ensured(other, nodes()).id;
    known_id.clear();
    EXPECT_NE(ensured(web(2), nodes()).id, its);
    EXPECT_EQ(count("loadbalancers"), 2U);
    EXPECT_EQ(count("listeners"), 3U);
    EXPECT_EQ(observe(web(2), nodes())->difference, "");
    EXPECT_TRUE(removed(web(2)));
    EXPECT_EQ(only("loadbalancers").at("id"), its);
    EXPECT_EQ(count("listeners"), 1U);
    EXPECT_EQ(count("pools"), 1U);
    EXPECT_EQ(floating_ips(), 1U);
    EXPECT_TRUE(removed(other));
  }
}

TEST_F(OpenStackRemovalTest, OS_307_WithoutAPortNoFloatingIpIsLookedFor) {
  ensured(web(), nodes());
  octavia().records("loadbalancers").begin()->at("vip_port_id") = nullptr;
  cloud.clear_log();
  EXPECT_TRUE(observe(web(), nodes()).ok());
  EXPECT_EQ(calls("floatingips"), 0);
}

TEST_F(OpenStackRemovalTest, OS_311_ItsSecurityGroupGoesThoughTheLoadBalancerIsAnothers) {
  start("manage-security-groups = true\n");
  ensured(web(), nodes());
  const auto group = [&] {
    return cloud.region()
        .network.records("security_groups")
        .find_by("name", "lb-sg-0b1c-default-web");
  };
  EXPECT_NE(group(), nullptr);
  take_the_tags_off();
  octavia().records("listeners").begin()->at("tags") = json::array();
  EXPECT_EQ(end_of_removal(recorded(web())).reason(), "NotOwned");
  EXPECT_EQ(group(), nullptr);
  EXPECT_EQ(count("listeners"), 1U);
}

TEST_F(OpenStackRemovalTest, OS_309_ItsListenersGoThoughTheLoadBalancersTagIsGone) {
  ensured(web(2), nodes());
  octavia().update_time = seconds(1);
  take_the_tags_off();
  octavia().records("listeners").begin()->at("tags") = json::array({"mine"});
  EXPECT_EQ(end_of_removal(recorded(web(2))).reason(), "NotOwned");
  EXPECT_EQ(only("listeners").at("tags"), json::array({"mine"}));
  EXPECT_EQ(count("loadbalancers"), 1U);
  EXPECT_EQ(count("pools"), 1U);
}

// A user's own load balancer: the floating IP that the Service got for it goes with the Service.
TEST_F(OpenStackRemovalTest, OS_301_307_TheFloatingIpOfAUsersOwnGoesWithItsService) {
  const LoadBalancerService service = served_by_a_users_own();
  EXPECT_EQ(floating_ips(), 1U);
  EXPECT_TRUE(removed(service));
  EXPECT_EQ(floating_ips(), 0U);
  EXPECT_EQ(only("loadbalancers").at("tags"), json::array({"mine"}));
}

// The Service that made it left first.
TEST_F(OpenStackRemovalTest, OS_301_307_TheFloatingIpOfAUsersOwnGoesWithTheLastService) {
  const LoadBalancerService first = served_by_a_users_own();
  LoadBalancerService second = first;
  second.name = "second";
  second.uid = "second";
  second.ports[0].port = 91;
  ensured(second, nodes());
  EXPECT_TRUE(removed(first));
  EXPECT_EQ(floating_ips(), 1U) << "the other one needs it";
  EXPECT_TRUE(removed(second));
  EXPECT_EQ(floating_ips(), 0U);
}

}  // namespace
}  // namespace ccm::openstack

// Load balancers that several Services share.
#include "load_balancers_fixture.hpp"

namespace ccm::openstack {
namespace {

class OpenStackSharingTest : public OpenStackLoadBalancersTest {
 protected:
  // A Service with one port.
  LoadBalancerService shop(const std::string& name, int32_t port, const std::string& id = "") {
    LoadBalancerService service = web();
    service.name = name;
    service.uid = "uid-" + name;
    service.id = id;
    service.ports[0].port = port;
    service.ports[0].node_port = 30'000 + port;
    return annotated(std::move(service), {});
  }
  LoadBalancer joined(const LoadBalancerService& service) {
    known_id = service.id;
    return ensured(service, nodes());
  }
};

TEST_F(OpenStackSharingTest, OS_218_225_298_301_309_414_TheLastOneLeaves) {
  const auto first = joined(shop("first", 80));
  const std::string id = first.id;
  EXPECT_EQ(first.state, LoadBalancerState::active);
  const auto second = joined(shop("second", 81, id));
  EXPECT_EQ(second.id, id);
  EXPECT_EQ(second.state, LoadBalancerState::shared);
  EXPECT_EQ(second.ingress, first.ingress);
  EXPECT_EQ(only("loadbalancers").at("tags").size(), 4U);
  EXPECT_EQ(count("listeners"), 2U);
  // Neither sees the other's part as its own.
  for (const auto& service : {shop("first", 80, id), shop("second", 81, id)}) {
    EXPECT_EQ(observe(service, nodes())->difference, "");
    EXPECT_EQ(observe(service, nodes())->state, LoadBalancerState::shared);
  }
  cloud.clear_log();
  joined(shop("first", 80, id));
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_TRUE(removed(shop("first", 80, id)));
  EXPECT_EQ(only("listeners").at("protocol_port"), 81);
  EXPECT_EQ(only("pools").at("name"), "pool_0_kube_service_kubernetes_default_second");
  EXPECT_EQ(only("loadbalancers").at("tags"),
            json::array({"ccm-service:uid-second", "kube_service_kubernetes_default_second"}));
  EXPECT_EQ(floating_ips(), 1U);
  EXPECT_TRUE(removed(shop("second", 81, id)));
  EXPECT_EQ(count("loadbalancers") + count("pools") + floating_ips(), 0U);
}

TEST_F(OpenStackSharingTest, OS_130_299_MaxSharedLb) {
  const std::string id = joined(shop("first", 80)).id;
  joined(shop("second", 81, id));
  const auto third = ensure(shop("third", 82, id), nodes());
  EXPECT_EQ(third.status().error_class(), ErrorClass::quota);
  EXPECT_NE(third.status().message().find("max-shared-lb"), std::string::npos);
  EXPECT_TRUE(remove(shop("third", 82, id)).ok()) << "it never had a part of it";
  EXPECT_EQ(count("listeners"), 2U);
  start("max-shared-lb = 3\n");
  EXPECT_EQ(joined(shop("third", 82, id)).state, LoadBalancerState::shared);
}

TEST_F(OpenStackSharingTest, OS_261_303_PortsThatCollideChangeNothing) {
  const std::string id = joined(shop("first", 80)).id;
  cloud.clear_log();
  const auto collides = ensure(shop("second", 80, id), nodes());
  EXPECT_EQ(collides.status().error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(collides.status().reason(), "PortInUse");
  EXPECT_EQ(cloud.writes(), 0);
  LoadBalancerService udp = shop("second", 80, id);
  udp.ports[0].protocol = "UDP";  // OS-387
  EXPECT_EQ(joined(udp).state, LoadBalancerState::shared);
}

TEST_F(OpenStackSharingTest, OS_256_309_NobodyLeavesOneInError) {
  const std::string id = joined(shop("first", 80)).id;
  joined(shop("second", 81, id));
  octavia().set_status(id, "ERROR");
  EXPECT_EQ(remove(shop("second", 81, id)).reason(), "LoadBalancerError");
  octavia().set_status(id, "ACTIVE");
  EXPECT_TRUE(removed(shop("second", 81, id)));
}

TEST_F(OpenStackSharingTest, OS_300_AnInternalServiceCannotShare) {
  const std::string id = joined(shop("first", 80)).id;
  const auto internal =
      annotated(shop("second", 81, id),
                {{"service.beta.kubernetes.io/openstack-internal-load-balancer", "true"}});
  EXPECT_EQ(ensure(internal, nodes()).status().reason(), "LoadBalancerNotShared");
}

TEST_F(OpenStackSharingTest, OS_125_285_AGuestOfAnInternalOneGetsNoFloatingIp) {
  start("internal-lb = true\n");
  const std::string id = joined(shop("first", 80)).id;
  start();
  const auto guest = ensure(shop("second", 81, id), nodes());
  EXPECT_EQ(guest.status().reason(), "FloatingIPRefused");
  EXPECT_EQ(floating_ips(), 0U);
}

// The first Service goes before its floating IP came.
TEST_F(OpenStackSharingTest, OS_285_AGuestGetsTheFloatingIpThatTheOwnerNeverGot) {
  const std::string demo = facts.at("projects").at("demo");
  cloud.region().network.set_quota(demo, "floatingip", 0);
  EXPECT_EQ(failure(shop("first", 80)).error_class(), ErrorClass::quota);
  const std::string id = only("loadbalancers").at("id");
  const Status refused = failure(shop("second", 81, id));
  EXPECT_EQ(refused.reason(), "FloatingIPRefused");
  EXPECT_FALSE(refused.refused()) << "it would wait for minutes";
  cloud.region().network.set_quota(demo, "floatingip", -1);
  EXPECT_TRUE(removed(shop("first", 80, id)));
  EXPECT_EQ(joined(shop("second", 81, id)).state, LoadBalancerState::active);
  EXPECT_EQ(floating_ips(), 1U);
}

// It is named after neither of those that are left.
TEST_F(OpenStackSharingTest, OS_285_TwoGuestsOfAnOwnerThatIsGoneGetOne) {
  start("max-shared-lb = 3\n");
  const std::string demo = facts.at("projects").at("demo");
  cloud.region().network.set_quota(demo, "floatingip", 0);
  EXPECT_FALSE(failure(shop("first", 80)).ok());
  const std::string id = only("loadbalancers").at("id");
  EXPECT_FALSE(failure(shop("second", 81, id)).ok());
  EXPECT_FALSE(failure(shop("third", 82, id)).ok());
  cloud.region().network.set_quota(demo, "floatingip", -1);
  EXPECT_TRUE(removed(shop("first", 80, id)));
  const auto third = joined(shop("third", 82, id));
  EXPECT_EQ(third.state, LoadBalancerState::shared);
  EXPECT_EQ(joined(shop("second", 81, id)).ingress, third.ingress);
  EXPECT_EQ(floating_ips(), 1U);
  EXPECT_TRUE(removed(shop("third", 82, id)));
  EXPECT_EQ(floating_ips(), 1U) << "the other one has it still";
  EXPECT_TRUE(removed(shop("second", 81, id)));
  EXPECT_EQ(count("loadbalancers") + floating_ips(), 0U);
}

// A user's own is named after no Service, and the first one on it may be internal.
TEST_F(OpenStackSharingTest, OS_285_AGuestMakesNobodysInternalOnePublic) {
  start("internal-lb = true\n");
  const std::string id = joined(shop("first", 80)).id;
  octavia().records("loadbalancers").begin()->at("name") = "by-hand";
  start();
  EXPECT_EQ(ensure(shop("second", 81, id), nodes()).status().reason(), "FloatingIPRefused");
  EXPECT_EQ(floating_ips(), 0U);
}

TEST_F(OpenStackSharingTest, OS_229_AnotherClustersIsForeign) {
  LoadBalancerService far = shop("first", 80);
  far.cluster_name = "another";
  const std::string id = joined(far).id;
  cloud.clear_log();
  EXPECT_EQ(ensure(shop("second", 81, id), nodes())->state, LoadBalancerState::foreign);
  EXPECT_EQ(cloud.writes(), 0);
}

// One that a user made: an administrator's word is needed, and it stays when the Service goes.
TEST_F(OpenStackSharingTest, OS_301_414_AUsersOwnStays) {
  const std::string id = joined(shop("first", 80)).id;
  json& balancer = *octavia().records("loadbalancers").begin();
  balancer["name"] = "by-hand";
  balancer["tags"] = json::array({"mine"});
  octavia().records("listeners").begin()->at("tags") = json::array();
  LoadBalancerService service = shop("second", 81, id);
  EXPECT_EQ(ensure(service, nodes())->state, LoadBalancerState::foreign);
  service.id.clear();
  service.adopt_id = id;
  EXPECT_EQ(joined(service).id, id);
  EXPECT_EQ(count("listeners"), 2U);
  service.adopt_id.clear();
  service.id = id;
  EXPECT_TRUE(removed(service));
  EXPECT_EQ(only("listeners").at("protocol_port"), 80);
  EXPECT_EQ(only("loadbalancers").at("tags"), json::array({"mine"}));
}

// The Go manager's, which bears the names alone.
TEST_F(OpenStackSharingTest, OS_225_228_302_SharedByTheGoManager) {
  const std::string id = joined(shop("first", 80)).id;
  joined(shop("second", 81, id));
  leave_no_marks();
  cloud.clear_log();
  for (const auto& service : {shop("first", 80, id), shop("second", 81, id)}) {
    EXPECT_EQ(joined(service).state, LoadBalancerState::shared);
  }
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_TRUE(removed(shop("first", 80, id)));
  EXPECT_EQ(only("listeners").at("protocol_port"), 81);
  EXPECT_EQ(joined(shop("second", 81, id)).state, LoadBalancerState::active);
  EXPECT_TRUE(removed(shop("second", 81, id)));
  EXPECT_EQ(count("loadbalancers"), 0U);
}

// An owner whose only proof is the load balancer's name keeps it when a guest writes its tags.
TEST_F(OpenStackSharingTest, OS_225_227_302_AGuestLeavesTheOwnersProof) {
  const std::string id = joined(shop("first", 80)).id;
  for (const char* collection : {"loadbalancers", "listeners"}) {
    octavia().records(collection).begin()->at("tags") = json::array();
  }
  EXPECT_EQ(joined(shop("second", 81, id)).state, LoadBalancerState::shared);
  EXPECT_EQ(only("loadbalancers").at("tags"),
            json::array({"ccm-service:uid-second", "kube_service_kubernetes_default_first",
                         "kube_service_kubernetes_default_second"}));
  EXPECT_EQ(observe(shop("first", 80, id), nodes())->state, LoadBalancerState::shared);
  EXPECT_TRUE(removed(shop("second", 81, id)));
  EXPECT_EQ(only("listeners").at("protocol_port"), 80);
  EXPECT_EQ(floating_ips(), 1U);
  EXPECT_EQ(observe(shop("first", 80, id), nodes())->state, LoadBalancerState::active);
}

// Without a tag of either, too.
TEST_F(OpenStackSharingTest, OS_227_302_ANameThatIsNoTagCountsAsAUser) {
  const std::string id = joined(shop("first", 80)).id;
  joined(shop("second", 81, id));
  octavia().records("loadbalancers").begin()->at("tags") = json::array({"ccm-service:uid-second"});
  EXPECT_TRUE(removed(shop("second", 81, id)));
  EXPECT_EQ(only("listeners").at("protocol_port"), 80);
  EXPECT_EQ(floating_ips(), 1U);
}

// The owner's name looks like one that the guest had under another --cluster-name.
TEST_F(OpenStackSharingTest, OS_302_313_AGuestDoesNotRenameTheOwner) {
  LoadBalancerService owner = shop("shop", 80);
  owner.cluster_name = "kubernetes_other";
  const std::string id = joined(owner).id;
  LoadBalancerService guest = shop("shop", 81, id);
  guest.uid = "guest";
  EXPECT_EQ(joined(guest).state, LoadBalancerState::shared);
  EXPECT_EQ(only("loadbalancers").at("tags"),
            json::array({"ccm-service:guest", "ccm-service:uid-shop",
                         "kube_service_kubernetes_default_shop",
                         "kube_service_kubernetes_other_default_shop"}));
}

// Two clusters, each with a Service of that name, without marks: the Go manager's.
TEST_F(OpenStackSharingTest, OS_302_313_314_AListenerOfAnotherClustersServiceStays) {
  LoadBalancerService far = shop("shop", 80);
  far.cluster_name = "another";
  const std::string id = joined(far).id;
  LoadBalancerService own = shop("shop", 81, id);
  own.uid = "own";
  json& balancer = *octavia().records("loadbalancers").begin();
  balancer["tags"] =
      json::array({"kube_service_another_default_shop", "kube_service_kubernetes_default_shop"});
  octavia().records("listeners").begin()->at("tags") =
      json::array({"kube_service_another_default_shop"});
  EXPECT_EQ(joined(own).state, LoadBalancerState::shared);
  EXPECT_EQ(count("listeners"), 2U);
  EXPECT_TRUE(removed(own));
  EXPECT_EQ(only("listeners").at("protocol_port"), 80);
}

TEST_F(OpenStackSharingTest, OneLaneForAllThatShare) {
  const auto table = provider->interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  const auto lane = [&](LoadBalancerService service) {
    return *provider->finish(provider->start(
        "lane", ccm::LoadBalancers::Lane{table, provider->ctx(), std::move(service)}));
  };
  EXPECT_EQ(lane(shop("first", 80, "lb")), "lb");
  EXPECT_EQ(lane(shop("second", 81, "lb")), "lb");
  EXPECT_EQ(lane(shop("third", 82)), "");
}

}  // namespace
}  // namespace ccm::openstack

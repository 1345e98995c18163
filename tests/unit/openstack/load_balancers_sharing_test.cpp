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
  // A Service in that namespace.
  LoadBalancerService shop_of(const std::string& space, const std::string& name, int32_t port,
                              const std::string& id = "",
                              const std::map<std::string, std::string>& annotations = {}) {
    LoadBalancerService service = shop(name, port, id);
    service.namespace_name = space;
    service.uid = "uid-" + space + "-" + name;
    return annotated(std::move(service), annotations);
  }
  // It shares nothing, and changes nothing.
  void expect_not_shared(const LoadBalancerService& service, const std::string& why) {
    cloud.clear_log();
    const Status refused = ensure(service, nodes()).status();
    EXPECT_EQ(refused.reason(), "LoadBalancerNotShared");
    EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
    EXPECT_NE(refused.message().find(why), std::string::npos) << refused.message();
    EXPECT_TRUE(remove(service).ok());
    EXPECT_EQ(cloud.writes(), 0);
  }
  const json& floating_ip() { return *cloud.region().network.records("floatingips").begin(); }
  static constexpr const char* kShare = "cloud-controller-manager/share-load-balancer";
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
  EXPECT_EQ(ensure(guest, nodes())->state, LoadBalancerState::foreign) << "another cluster's";
  EXPECT_EQ(only("loadbalancers").at("tags").size(), 2U);
}

// A tenant who knows the ID of a load balancer in another namespace.
TEST_F(OpenStackSharingTest, OS_298_AcrossNamespacesOnlyWhereTheOlderServiceSaysSo) {
  const std::string id = joined(shop_of("t2", "web", 443)).id;
  const auto guest = shop_of("t1", "web", 80, id);
  expect_not_shared(guest, "does not name the namespace t1");
  for (const char* others : {"", "t3", "t10, xt1", "t"}) {
    joined(shop_of("t2", "web", 443, id, {{kShare, others}}));
    expect_not_shared(guest, kShare);
  }
  // The guest's own word is worth nothing.
  expect_not_shared(shop_of("t1", "web", 80, id, {{kShare, "*"}}), kShare);
  joined(shop_of("t2", "web", 443, id, {{kShare, "t3,t1"}}));
  EXPECT_EQ(joined(guest).state, LoadBalancerState::shared);
  EXPECT_EQ(count("listeners"), 2U);
}

TEST_F(OpenStackSharingTest, OS_298_AcrossNamespacesByTheAdministratorsFlag) {
  const std::string id = joined(shop_of("t2", "web", 443)).id;
  host.config.set_flag("load-balancer-sharing-across-namespaces", "true");
  EXPECT_EQ(joined(shop_of("t1", "web", 80, id)).state, LoadBalancerState::shared);
}

TEST_F(OpenStackSharingTest, OS_298_EachThatHasItHasToPermitIt) {
  start("max-shared-lb = 3\n");
  const std::string id = joined(shop_of("t2", "web", 443, "", {{kShare, "*"}})).id;
  joined(shop_of("t3", "web", 81, id));
  expect_not_shared(shop_of("t1", "web", 80, id), kShare);
  joined(shop_of("t3", "web", 81, id, {{kShare, "t1"}}));
  EXPECT_EQ(joined(shop_of("t1", "web", 80, id)).state, LoadBalancerState::shared);
}

// Two clusters with the default of --cluster-name in one project.
TEST_F(OpenStackSharingTest, OS_229_298_AnotherClusterOfTheSameNameIsNoGuest) {
  const std::string id = joined(shop("first", 80)).id;
  host.kube.remove("v1/services", "first", "default");
  expect_not_shared(shop("second", 81, id), "that this cluster does not have");
  // With a Service of the same name, too.
  LoadBalancerService same = shop("first", 80);
  same.uid = "of-this-cluster";
  host.kube.put("v1/services", annotated(same, {}).object.json());
  expect_not_shared(shop("second", 81, id), "that this cluster does not have");
  leave_no_marks();  // the Go manager's
  for (const Backend& node : nodes()) host.kube.remove("v1/nodes", node.name);
  expect_not_shared(shop("second", 81, id), "that this cluster does not have");
  host.kube.put("v1/services",
                annotated(same, {}, floating_ip()["floating_ip_address"]).object.json());
  EXPECT_EQ(joined(shop("second", 81, id)).state, LoadBalancerState::shared);
}

TEST_F(OpenStackSharingTest, OS_229_298_TheMarkOfTheClusterTellsThemApart) {
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-1"}})");
  start();
  const std::string id = joined(shop("first", 80)).id;
  EXPECT_EQ(only("loadbalancers").at("tags"),
            json::array({"kube_service_kubernetes_default_first", "ccm-service:uid-first",
                         "ccm-cluster:c-1"}));
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-2"}})");
  start();
  expect_not_shared(shop("second", 81, id), "another cluster's");
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-1"}})");
  start();
  EXPECT_EQ(joined(shop("second", 81, id)).state, LoadBalancerState::shared);
  EXPECT_TRUE(removed(shop("first", 80, id)));
  EXPECT_EQ(only("loadbalancers").at("tags"),
            json::array({"ccm-cluster:c-1", "ccm-service:uid-second",
                         "kube_service_kubernetes_default_second"}));
}

// The address of a namespace goes with its last Service.
TEST_F(OpenStackSharingTest, OS_301_307_WhoLeavesAnotherNamespaceTakesItsAddressAlong) {
  const std::map<std::string, std::string> shared = {{kShare, "t1"}};
  const auto owner = joined(shop_of("t2", "web", 443, "", shared));
  const auto guest = joined(shop_of("t1", "web", 80, owner.id));
  EXPECT_EQ(guest.ingress, owner.ingress);
  EXPECT_TRUE(removed(shop_of("t2", "web", 443, owner.id, shared)));
  EXPECT_EQ(floating_ips(), 0U);
  ASSERT_FALSE(host.hints.all().empty());
  EXPECT_EQ(host.hints.all().back().namespace_name, "t1");
  EXPECT_EQ(observe(shop_of("t1", "web", 80, owner.id), nodes())->difference, "floating IP");
  EXPECT_EQ(joined(shop_of("t1", "web", 80, owner.id)).state, LoadBalancerState::active);
  EXPECT_EQ(floating_ip().at("description"),
            "Floating IP for Kubernetes external service t1/web from cluster kubernetes");
  EXPECT_TRUE(removed(shop_of("t1", "web", 80, owner.id)));
  EXPECT_EQ(count("loadbalancers") + floating_ips(), 0U);
}

TEST_F(OpenStackSharingTest, OS_203_301_AKeptAddressIsDetachedWhenItsServiceLeaves) {
  const std::map<std::string, std::string> kept = {{kShare, "t1"}, {"keep-floatingip", "true"}};
  const auto owner = joined(shop_of("t2", "web", 443, "", kept));
  joined(shop_of("t1", "web", 80, owner.id));
  EXPECT_TRUE(removed(shop_of("t2", "web", 443, owner.id, kept)));
  EXPECT_EQ(floating_ips(), 1U);
  EXPECT_TRUE(floating_ip().at("port_id").is_null());
  EXPECT_NE(joined(shop_of("t1", "web", 80, owner.id)).ingress, owner.ingress);
  EXPECT_TRUE(removed(shop_of("t1", "web", 80, owner.id)));
  EXPECT_EQ(floating_ips(), 1U);
  EXPECT_EQ(floating_ip().at("floating_ip_address"), owner.ingress[0].ip);
}

// One that asked for its address by spec.loadBalancerIP did not make it.
TEST_F(OpenStackSharingTest, OS_287_301_AnAddressThatWasAskedForIsDetachedWhenItsServiceLeaves) {
  const json mine =
      cloud.region().network.add("floatingips", facts.at("projects").at("demo"),
                                 {{"floating_network_id", id("public")}, {"description", "mine"}});
  LoadBalancerService owner = shop_of("t2", "web", 443, "", {{kShare, "t1"}});
  owner.requested_ip = mine.at("floating_ip_address");
  owner.id = joined(owner).id;
  EXPECT_EQ(joined(shop_of("t1", "web", 80, owner.id)).ingress[0].ip, owner.requested_ip);
  EXPECT_TRUE(removed(owner));
  EXPECT_TRUE(floating_ip().at("port_id").is_null());
  EXPECT_NE(joined(shop_of("t1", "web", 80, owner.id)).ingress[0].ip, owner.requested_ip);
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

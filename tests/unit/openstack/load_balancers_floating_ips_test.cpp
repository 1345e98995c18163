// The floating IP of a load balancer that becomes internal, or loses it.
#include "load_balancers_fixture.hpp"

namespace ccm::openstack {
namespace {

class OpenStackFloatingIpsTest : public OpenStackLoadBalancersTest {
 protected:
  LoadBalancerService service_of(const std::string& space, const std::string& name,
                                 const std::map<std::string, std::string>& annotations = {}) {
    LoadBalancerService service = web();
    service.namespace_name = space;
    service.name = name;
    service.uid = space + "-" + name;
    return annotated(std::move(service), annotations);
  }
  // The address of a Service that is gone, which kept it.
  std::string kept_by(const std::string& space, const std::string& name) {
    const auto service = service_of(space, name, {{"keep-floatingip", "true"}});
    known_id.clear();
    const std::string address = ensured(service, nodes()).ingress[0].ip;
    EXPECT_TRUE(removed(service));
    EXPECT_TRUE(floating_ip(address).at("port_id").is_null());
    known_id.clear();
    return address;
  }
  json floating_ip(const std::string& address) {
    for (const json& each : cloud.region().network.records("floatingips")) {
      if (each.at("floating_ip_address") == address) return each;
    }
    return nullptr;
  }
  LoadBalancerService asking(LoadBalancerService service, const std::string& address) {
    service.requested_ip = address;
    return service;
  }
  void be_cluster(const std::string& uid) {
    host.kube.put("v1/namespaces",
                  json{{"metadata", {{"name", "kube-system"}, {"uid", uid}}}}.dump());
    start();
  }
};

TEST_F(OpenStackFloatingIpsTest, OS_287_OneThatWasKeptIsOfItsNamespaceAlone) {
  const std::string address = kept_by("t2", "web");
  const json kept = floating_ip(address);
  const auto thief = asking(service_of("t1", "web"), address);
  const Status refused = failure(thief);
  EXPECT_EQ(refused.reason(), "FloatingIPRefused");
  EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec);
  EXPECT_EQ(refused.message().find("t2"), std::string::npos) << "tells whose it is";
  EXPECT_TRUE(removed(thief));
  EXPECT_EQ(floating_ip(address), kept);
}

TEST_F(OpenStackFloatingIpsTest, OS_287_307_WhatAnotherOfItsNamespaceKeptIsUsedAndNotDeleted) {
  const std::string address = kept_by("t2", "web");
  const auto other = asking(service_of("t2", "other"), address);
  EXPECT_EQ(ensured(other, nodes()).ingress[0].ip, address);
  EXPECT_TRUE(removed(other));
  EXPECT_TRUE(floating_ip(address).at("port_id").is_null());
  // Its own goes, now that it is not to be kept.
  known_id.clear();
  const auto own = asking(service_of("t2", "web"), address);
  EXPECT_EQ(ensured(own, nodes()).ingress[0].ip, address);
  EXPECT_TRUE(removed(own));
  EXPECT_EQ(floating_ips(), 0U);
}

// Two clusters with the default of --cluster-name, and Services of one name.
TEST_F(OpenStackFloatingIpsTest, OS_229_287_AnotherClustersIsNotTaken) {
  const std::string uid = "0c8ab2c3-1111-2222-3333-444455556666";
  be_cluster(uid);
  const std::string address = kept_by("default", "web");
  EXPECT_EQ(floating_ip(address).at("description"),
            "Floating IP for Kubernetes external service default/web from cluster kubernetes (" +
                uid + ")");
  be_cluster("0c8ab2c3-1111-2222-3333-444455557777");
  EXPECT_EQ(failure(asking(service_of("default", "web"), address)).reason(), "FloatingIPRefused");
  be_cluster(uid);
  EXPECT_EQ(ensured(asking(service_of("default", "web"), address), nodes()).ingress[0].ip, address);
}

// As the Go manager describes it.
TEST_F(OpenStackFloatingIpsTest, OS_221_307_ADescriptionWithoutTheClustersUidCounts) {
  const auto service = service_of("default", "web");
  ensured(service, nodes());
  be_cluster("0c8ab2c3-1111-2222-3333-444455556666");
  EXPECT_TRUE(removed(service));
  EXPECT_EQ(floating_ips(), 0U);
}

TEST_F(OpenStackFloatingIpsTest, OS_203_KeepingCountsInTheNamespacesOfTheFlagAlone) {
  host.config.set_flag("load-balancer-retention-namespaces", "shop,blog");
  const std::string kept = kept_by("shop", "web");
  const auto service = service_of("t1", "web", {{"keep-floatingip", "true"}});
  ensured(service, nodes());
  ASSERT_EQ(events("InvalidAnnotation").size(), 1U);
  EXPECT_NE(events("InvalidAnnotation")[0].find("does not count in the namespace t1"),
            std::string::npos);
  EXPECT_TRUE(removed(service));
  EXPECT_EQ(floating_ips(), 1U);
  EXPECT_TRUE(floating_ip(kept).is_object());
}

TEST_F(OpenStackFloatingIpsTest, OS_196_AnInternalOneHasNoFloatingIp) {
  start("internal-lb = true\n");
  const auto made = ensured(web(), nodes());
  EXPECT_TRUE(made.ingress[0].ip.starts_with("10.10.0.")) << made.ingress[0].ip;
  EXPECT_EQ(floating_ips(), 0U);
}

// Nobody may have led when it became internal.
TEST_F(OpenStackFloatingIpsTest, OS_196_284_AFloatingIpOfAnInternalOneIsADifference) {
  ensured(web(), nodes());
  EXPECT_EQ(floating_ips(), 1U);
  start("internal-lb = true\n");
  EXPECT_EQ(observe(web(), nodes())->difference, "floating IP");
  EXPECT_EQ(update(web(), nodes()).status().error_class(), ErrorClass::not_found);
  const auto made = ensured(web(), nodes());
  EXPECT_TRUE(made.ingress[0].ip.starts_with("10.10.0.")) << made.ingress[0].ip;
  EXPECT_EQ(floating_ips(), 0U);
  EXPECT_EQ(observe(web(), nodes())->difference, "");
}

// The host makes a whole `ensure` of it.
TEST_F(OpenStackFloatingIpsTest, OS_430_AnUpdateWithoutTheFloatingIpDoesNotWaitForIt) {
  ensured(web(), nodes());
  auto& records = cloud.region().network.records("floatingips");
  records.remove(records.begin()->at("id").get<std::string>());
  EXPECT_EQ(update(web(), nodes(2)).status().error_class(), ErrorClass::not_found);
  ensured(web(), nodes(2));
  EXPECT_EQ(floating_ips(), 1U);
}

// A network that everybody outside reaches needs no floating IP, and Neutron has none for it.
TEST_F(OpenStackFloatingIpsTest, OS_284_291_AnAddressThatIsOutsideAlready) {
  start("network-id = " + id("public") + "\n");
  const Status refused = failure(web());
  EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec) << refused.message();
  EXPECT_NE(refused.message().find("is on an external network"), std::string::npos);
  EXPECT_NE(refused.message().find("internal-lb"), std::string::npos) << refused.message();
  EXPECT_EQ(floating_ips(), 0U);
  start("network-id = " + id("public") + "\ninternal-lb = true\n");
  EXPECT_TRUE(ensured(web(), nodes()).ingress[0].ip.starts_with("203.0.113."));
}

TEST_F(OpenStackFloatingIpsTest, OS_291_AnotherRefusalOfAFloatingIpSaysWhatNeutronSaid) {
  cloud.region().network.records("routers").remove_if([](const json&) { return true; });
  const Status refused = failure(web());
  EXPECT_EQ(refused.message().find("internal-lb"), std::string::npos) << refused.message();
  EXPECT_NE(refused.message().find("is not reachable from subnet"), std::string::npos);
}

}  // namespace
}  // namespace ccm::openstack

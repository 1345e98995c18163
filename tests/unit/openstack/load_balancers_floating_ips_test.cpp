// The floating IP of a load balancer that becomes internal, or loses it.
#include "load_balancers_fixture.hpp"

namespace ccm::openstack {
namespace {

class OpenStackFloatingIpsTest : public OpenStackLoadBalancersTest {};

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

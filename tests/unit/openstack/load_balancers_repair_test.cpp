// Parts of a load balancer that Octavia could not change, while the load balancer is ACTIVE.
#include "load_balancers_fixture.hpp"

namespace ccm::openstack {
namespace {

class OpenStackRepairTest : public OpenStackLoadBalancersTest {
 protected:
  openstack_api::LoadBalancing& octavia() { return cloud.region().load_balancing; }
  json& first(const char* collection) { return *octavia().records(collection).begin(); }
  // Whether all parts are as they should be.
  bool all_active() {
    for (const char* collection : {"listeners", "pools", "members", "healthmonitors"}) {
      for (const json& part : octavia().records(collection)) {
        if (part.at("provisioning_status") != "ACTIVE") return false;
      }
    }
    return true;
  }
};

// The API shows the new contents, which the load balancer's machines do not have.
TEST_F(OpenStackRepairTest, OS_382_429_AFailedPartIsWrittenAgainAlthoughNothingDiffers) {
  start("create-monitor = true\n");
  const auto made = ensured(web(2), nodes());
  const auto service = annotated(web(2), {}, made.ingress[0].ip);
  for (const char* collection : {"listeners", "pools", "members", "healthmonitors"}) {
    octavia().set_status(first(collection).at("id"), "ERROR", collection);
    EXPECT_NE(observe(service, nodes())->difference, "") << collection;
    cloud.clear_log();
    ensured(service, nodes());
    EXPECT_TRUE(all_active()) << collection;
    EXPECT_EQ(cloud.writes(), 1) << collection;
    ensured(service, nodes());  // which ends the repair
  }
}

TEST_F(OpenStackRepairTest, OS_382_429_OneThatFailsAgainIsToldAndWrittenEveryTenMinutes) {
  const auto made = ensured(web(), nodes());
  const auto service = annotated(web(), {}, made.ingress[0].ip);
  octavia().outcomes = {Outcome::kError, Outcome::kError};
  const auto changed = annotated(web(), {{"connection-limit", "7"}}, made.ingress[0].ip);
  const auto failed = ensure(changed, nodes());
  EXPECT_EQ(failed.status().reason(), "LoadBalancerError");
  EXPECT_NE(failed.status().message().find("(listener of port 80)"), std::string::npos)
      << failed.status().message();
  cloud.clear_log();
  for (int i = 0; i < 9; ++i) {
    EXPECT_FALSE(ensure(changed, nodes()).ok());
    host.loop.advance(minutes(1));
  }
  EXPECT_EQ(cloud.writes(), 0);
  host.loop.advance(minutes(2));
  ensured(changed, nodes());
  EXPECT_EQ(cloud.writes(), 1);
  EXPECT_TRUE(all_active());
  EXPECT_EQ(count("loadbalancers"), 1U);
}

// Octavia takes changes of a failed pool alone; its 409 to others does not mean "wait".
TEST_F(OpenStackRepairTest, OS_383_MembersOfAFailedPoolFollowItsRepair) {
  const auto made = ensured(web(), nodes());
  const auto service = annotated(web(), {}, made.ingress[0].ip);
  octavia().set_status(first("pools").at("id"), "ERROR", "pools");
  for (int i = 0; i < 5 && count("members") == 3; ++i) {
    EXPECT_TRUE(update(service, nodes(2)).ok());
  }
  EXPECT_EQ(count("members"), 2U);
  EXPECT_TRUE(all_active());
}

TEST_F(OpenStackRepairTest, OS_278_AFailedBatchOfMembersIsSentAgain) {
  const auto made = ensured(web(2), nodes());
  const auto service = annotated(web(2), {}, made.ingress[0].ip);
  octavia().outcomes = {Outcome::kError};
  for (int i = 0; i < 10 && !(all_active() && count("members") == 4); ++i) {
    EXPECT_TRUE(ensure(service, nodes(2)).ok());
  }
  EXPECT_TRUE(all_active());
  EXPECT_EQ(count("members"), 4U);
}

TEST_F(OpenStackRepairTest, OS_278_OneByOneWhereTheProviderTakesNoBatch) {
  start("provider-requires-serial-api-calls = true\n");
  const auto made = ensured(web(), nodes());
  const auto service = annotated(web(), {}, made.ingress[0].ip);
  octavia().set_status(first("members").at("id"), "ERROR", "members");
  cloud.clear_log();
  ensured(service, nodes());
  EXPECT_TRUE(all_active());
  EXPECT_EQ(cloud.calls("PUT", "/members/"), 1);
  EXPECT_EQ(cloud.writes(), 1);
}

}  // namespace
}  // namespace ccm::openstack

// Nodes that are still there while their droplets are gone (DO-232).
#include "load_balancer_fixture.hpp"

namespace ccm::digitalocean {
namespace {

class MissingDropletsTest : public LoadBalancerOperationsTest {
 protected:
  // 102 is gone, and asking about it fails.
  void lose_without_a_word() {
    cloud.remove_droplet(102);
    digitalocean_api::ApiFault broken;
    broken.path_prefix = "/v2/droplets/102";
    broken.status = 500;
    broken.count = -1;
    cloud.add_fault(broken);
  }
  int64_t creations() { return cloud.calls("POST", "/v2/load_balancers"); }
  const std::string refusal = "target droplets";
};

TEST_F(MissingDropletsTest, DO_232_ADropletThatIsGoneHoldsUpNoOther) {
  log_in();
  cloud.remove_droplet(102);
  const auto first = ensure(service(), nodes(3));
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101, 103}));
  EXPECT_EQ(creations(), 2);
  EXPECT_TRUE(host.log.contains("Droplets are gone although their nodes are there"));
  // Known by now: no call is lost, and nothing differs.
  pass();
  cloud.clear_log();
  EXPECT_EQ(ensure(service({}, first->id), nodes(3))->difference, "");
  ASSERT_TRUE(ensure(service({}, "", "another", "aanother"), nodes(3)).ok());
  EXPECT_EQ(cloud.writes(), 1);
  EXPECT_EQ(cloud.calls("GET", "/v2/droplets"), 0);
}

TEST_F(MissingDropletsTest, DO_232_WhatIsChangedIsChangedForTheOthers) {
  log_in();
  const std::string id = made(service(), nodes(3));
  cloud.remove_droplet(102);
  const json checked = {{kAnnotation + "healthcheck-check-interval-seconds", "77"}};
  ASSERT_TRUE(ensure(service(checked, id), nodes(4)).ok());
  EXPECT_EQ(the_balancer()["health_check"]["check_interval_seconds"], 77);
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101, 103, 104}));
}

TEST_F(MissingDropletsTest, DO_232_OneThatJoinsIsAddedBesideOneThatIsGone) {
  log_in();
  const std::string id = made(service(), nodes(1));
  cloud.remove_droplet(102);
  EXPECT_TRUE(update(service({}, id), nodes(3)).ok());
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101, 103}));
}

// Then it is rather we who do not see them.
TEST_F(MissingDropletsTest, WhenAllSeemGoneNoneIsLeftOut) {
  log_in();
  cloud.remove_droplet(101);
  cloud.remove_droplet(102);
  const auto refused = ensure(service(), nodes(2));
  EXPECT_NE(refused.status().message().find(refusal), std::string::npos);
  EXPECT_FALSE(refused.status().permanent());
  EXPECT_EQ(creations(), 1);
  EXPECT_TRUE(cloud.load_balancers().empty());
}

TEST_F(MissingDropletsTest, ARefusalOfDropletsThatExistStays) {
  log_in();
  cloud.droplet(102)["vpc_uuid"] = "99999999-0000-4000-8000-000000000000";
  const auto refused = ensure(service(), nodes(2));
  EXPECT_NE(refused.status().message().find(refusal), std::string::npos);
  EXPECT_EQ(creations(), 1);
}

TEST_F(MissingDropletsTest, WithoutAnAnswerNoneIsLeftOut) {
  log_in();
  lose_without_a_word();
  const auto refused = ensure(service(), nodes(2));
  EXPECT_NE(refused.status().message().find(refusal), std::string::npos);
  EXPECT_EQ(creations(), 1);
}

TEST_F(MissingDropletsTest, ARefusedAdditionIsTriedAgain) {
  log_in();
  const std::string id = made(service(), nodes(1));
  lose_without_a_word();
  EXPECT_FALSE(update(service({}, id), nodes(3)).status().permanent());
  // Services that are refused soon after do not list all droplets again.
  cloud.clear_log();
  EXPECT_FALSE(ensure(service({}, "", "another", "aanother"), nodes(3)).ok());
  EXPECT_EQ(cloud.calls("GET", "/v2/droplets"), 0);
}

TEST_F(MissingDropletsTest, NothingToSendIsNoDifference) {
  log_in();
  const std::string id = made(service(), nodes(1));
  cloud.remove_droplet(102);
  EXPECT_EQ(update(service({}, id), nodes(2))->difference, "");
}

TEST_F(MissingDropletsTest, AfterTenMinutesTheyAreAskedAboutAgain) {
  log_in();
  const std::string id = made(service(), nodes(1));
  cloud.remove_droplet(102);
  ASSERT_TRUE(update(service({}, id), nodes(3)).ok());
  pass(seconds(601));
  cloud.clear_log();
  EXPECT_EQ(observe(service({}, id), nodes(3))->difference, "");
  EXPECT_EQ(cloud.calls("GET", "/v2/droplets/102"), 1);
  cloud.generate_droplets(102, 1, "back-");
  pass(seconds(590));
  EXPECT_EQ(update(service({}, id), nodes(3))->difference, "");
  pass(seconds(11));
  EXPECT_EQ(update(service({}, id), nodes(3))->difference, "backends");
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101, 102, 103}));
}

TEST_F(MissingDropletsTest, DO_338_BehindATagTheOthersBearIt) {
  host.config.set_flag("digitalocean-cluster-id", "c1");
  log_in();
  const std::string tag = "k8s:c1:nodes";
  cloud.remove_droplet(102);
  const json by_tag = {{kAnnotation + "target-tag", tag}};
  const auto balancer = ensure(service(by_tag), nodes(3));
  ASSERT_TRUE(balancer.ok()) << balancer.status().message();
  EXPECT_EQ(cloud.droplet(101)["tags"], json::array({tag}));
  EXPECT_EQ(cloud.droplet(103)["tags"], json::array({tag}));
}

TEST_F(MissingDropletsTest, DO_387_TheRegionIsThatOfADropletThatIsThere) {
  host.config.set_flag("digitalocean-region", "");
  host.http.expect("GET", "http://169.254.169.254/metadata/v1/region").answer(404, "");
  log_in();
  cloud.remove_droplet(101);
  ASSERT_TRUE(ensure(service(), nodes(2)).ok());
  EXPECT_EQ(the_balancer()["region"]["slug"], "nyc3");
}

}  // namespace
}  // namespace ccm::digitalocean

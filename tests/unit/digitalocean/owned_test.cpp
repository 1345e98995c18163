// The objects with a cluster's marks at DigitalOcean, and their removal.
#include "digitalocean/owned/owned.hpp"

#include "load_balancer_fixture.hpp"

#include <ccm/testing/owned_calls.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::digitalocean {
namespace {

using digitalocean_api::ApiFault;

ExistingLoadBalancer marked(const std::string& name, std::vector<std::string> tags) {
  ExistingLoadBalancer balancer;
  balancer.id = "lb-1";
  balancer.name = name;
  balancer.tags = std::move(tags);
  return balancer;
}

TEST(OwnedBalancerTest, DO_353_TagsNameTheCluster) {
  const std::vector<std::string> mine{"mine"};
  const auto by_cluster = owned_balancer(marked("chosen", {"k8s:mine", "blue"}), mine);
  ASSERT_TRUE(by_cluster);
  EXPECT_EQ(by_cluster->cluster, "mine");
  EXPECT_TRUE(by_cluster->services.empty());
  const auto by_service = owned_balancer(marked("chosen", {"k8s:mine:service:" + kUid}), mine);
  ASSERT_TRUE(by_service);
  EXPECT_EQ(by_service->cluster, "mine");
  ASSERT_EQ(by_service->services.size(), 1U);
  EXPECT_EQ(by_service->services.front().value, kUid);
  EXPECT_FALSE(by_service->no_cluster || by_service->shared);
}

TEST(OwnedBalancerTest, DO_353_AMarkHasNamespaceNameAndTheWholeUid) {
  const std::string mark = "k8s:mine:service:" + kUid;
  const auto object = owned_balancer(marked(kDefaultName, {mark, mark + ":shop:web"}), {"mine"});
  ASSERT_TRUE(object);
  EXPECT_EQ(object->cluster, "mine");
  EXPECT_EQ(object->services, (std::vector<Label>{{"shop/web", kUid}}));
  const auto no_cluster =
      owned_balancer(marked("chosen", {"k8s:service:" + kUid + ":shop:web"}), {"mine"});
  ASSERT_TRUE(no_cluster);
  EXPECT_TRUE(no_cluster->no_cluster);
  EXPECT_EQ(no_cluster->services, (std::vector<Label>{{"shop/web", kUid}}));
}

TEST(OwnedBalancerTest, AnotherClustersMarkIsRespected) {
  const std::vector<std::string> mine{"mine"};
  EXPECT_FALSE(owned_balancer(marked(kDefaultName, {"k8s:theirs"}), mine));
  EXPECT_FALSE(owned_balancer(marked("chosen", {"k8s:theirs:service:" + kUid}), mine));
  EXPECT_FALSE(owned_balancer(marked("chosen", {"k8s:mine2"}), mine));
  EXPECT_FALSE(owned_balancer(marked("chosen", {"blue"}), mine));
  EXPECT_FALSE(owned_balancer(marked("chosen", {}), {}));
  const auto both = owned_balancer(marked("chosen", {"k8s:mine", "k8s:theirs"}), mine);
  ASSERT_TRUE(both);
  EXPECT_TRUE(both->shared);
}

TEST(OwnedBalancerTest, DO_92_ANameAloneNamesAServiceAndNoCluster) {
  for (const auto& balancer :
       {marked(kDefaultName, {}), marked("chosen", {"k8s:service:" + kUid})}) {
    const auto object = owned_balancer(balancer, {"mine"});
    ASSERT_TRUE(object);
    EXPECT_TRUE(object->no_cluster);
    ASSERT_EQ(object->services.size(), 1U);
    EXPECT_TRUE(kUid.starts_with(object->services.front().value)) << object->services.front().value;
    EXPECT_GE(object->services.front().value.size(), kUid.size() - 1);
  }
}

class OwnedTest : public LoadBalancerOperationsTest {
 protected:
  Service<ccm_cloud_owned> table() { return provider.interface<ccm_cloud_owned>(CCM_CLOUD_OWNED); }
  Result<std::vector<OwnedObject>> list(const ClusterNames& cluster) {
    return provider.finish(
        provider.start("list", testing::ListOwned{table(), provider.ctx(), cluster}));
  }
  Status take(const ClusterNames& cluster, const OwnedObject& object) {
    return provider.finish(
        provider.start("remove", testing::RemoveOwned{table(), provider.ctx(), cluster, object}));
  }
  std::string add(const std::string& name, const std::vector<std::string>& tags) {
    return left_by_go(name, {{"tags", tags}});
  }
  static ClusterNames given(const std::string& name) { return {{name}, true}; }
};

TEST_F(OwnedTest, DO_12_TheConfiguredIdIsTheClustersUnlessTheUserNamesOne) {
  host.config.set_flag("digitalocean-cluster-id", "mine");
  log_in();
  const std::string mine = add("one", {"k8s:mine"});
  const std::string theirs = add("two", {"k8s:kubernetes"});
  auto objects = list({{"kubernetes", "some-uid"}, false});
  ASSERT_TRUE(objects.ok()) << objects.status().message();
  ASSERT_EQ(objects->size(), 1U);
  EXPECT_EQ(objects->front().id, mine);
  objects = list(given("kubernetes"));
  ASSERT_EQ(objects->size(), 1U);
  EXPECT_EQ(objects->front().id, theirs);
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OwnedTest, DO_326_AListingThatIsNotWholeIsAFailure) {
  log_in();
  add("one", {"k8s:mine"});
  ApiFault cut;
  cut.path_prefix = "/v2/load_balancers";
  cut.status = 200;
  cut.body = R"({"load_balancers":[],"links":{},"meta":{"total":1}})";
  cut.count = -1;
  cloud.add_fault(cut);
  const auto objects = list(given("mine"));
  EXPECT_FALSE(objects.ok());
}

TEST_F(OwnedTest, RemovalTakesTheLoadBalancerAndTheServicesTag) {
  log_in();
  const std::string id = add("one", {"k8s:mine", "k8s:mine:service:" + kUid});
  const auto objects = list(given("mine"));
  ASSERT_EQ(objects->size(), 1U);
  EXPECT_TRUE(take(given("mine"), objects->front()).ok());
  EXPECT_TRUE(cloud.load_balancers().empty());
  EXPECT_EQ(cloud.calls("DELETE", "/v2/tags/"), 1);
  EXPECT_TRUE(take(given("mine"), objects->front()).ok());  // R-173
  EXPECT_EQ(cloud.calls("DELETE", "/v2/load_balancers/" + id), 1);
}

TEST_F(OwnedTest, R_173_WhatLostTheMarkMeanwhileStays) {
  log_in();
  const std::string id = add("one", {"k8s:mine"});
  const auto objects = list(given("mine"));
  ASSERT_EQ(objects->size(), 1U);
  for (const json& tags : {json{"k8s:theirs"}, json{"k8s:mine", "k8s:theirs"}, json::array()}) {
    cloud.load_balancers().at(id)["tags"] = tags;
    const Status refused = take(given("mine"), objects->front());
    EXPECT_EQ(refused.reason(), CCM_REASON_NOT_OWNED) << tags;
  }
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(OwnedTest, R_173_OneWithoutAClusterGoesWhenTheUserNamesIt) {
  log_in();
  const std::string id = add(kDefaultName, {});
  const auto objects = list(given("mine"));
  ASSERT_EQ(objects->size(), 1U);
  EXPECT_EQ(take(given("mine"), objects->front()).reason(), CCM_REASON_NOT_OWNED);
  const ClusterNames confirmed{{"mine"}, true, true};
  cloud.load_balancers().at(id)["tags"] = {"k8s:theirs"};  // meanwhile
  EXPECT_EQ(take(confirmed, objects->front()).reason(), CCM_REASON_NOT_OWNED);
  EXPECT_EQ(cloud.writes(), 0);
  cloud.load_balancers().at(id)["tags"] = json::array();
  EXPECT_TRUE(take(confirmed, objects->front()).ok());
  EXPECT_TRUE(cloud.load_balancers().empty());
}

TEST_F(OwnedTest, DO_15_TheFirewallIsListedAndNeverRemoved) {
  host.config.set_flag("digitalocean-firewall-name", "public");
  host.config.set_flag("digitalocean-firewall-tags", "worker");
  log_in();
  cloud.firewalls()["f-1"] = {{"id", "f-1"},
                              {"name", "public"},
                              {"status", "succeeded"},
                              {"inbound_rules", json::array()},
                              {"outbound_rules", json::array()},
                              {"tags", {"worker"}},
                              {"droplet_ids", json::array()}};
  const auto objects = list(given("mine"));
  ASSERT_TRUE(objects.ok()) << objects.status().message();
  ASSERT_EQ(objects->size(), 1U);
  EXPECT_EQ(objects->front().kind, CCM_OWNED_FIREWALL);
  EXPECT_TRUE(objects->front().no_cluster);
  EXPECT_EQ(take(given("mine"), objects->front()).reason(), CCM_REASON_NOT_OWNED);
  EXPECT_EQ(cloud.writes(), 0);
}

}  // namespace
}  // namespace ccm::digitalocean

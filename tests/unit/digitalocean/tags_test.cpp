// digitalocean-tags (DO-277..DO-283).
#include "controller_fixture.hpp"
#include "digitalocean/tags/controller.hpp"

namespace ccm::digitalocean {
namespace {

using nlohmann::json;
using std::chrono::minutes;

const std::string kRecorded = "kubernetes.digitalocean.com/load-balancer-id";

class TagTest : public ControllerTest {
 protected:
  TagTest() { host.config.set_flag("digitalocean-cluster-id", "c1"); }

  void balancer(const std::string& id, const std::vector<std::string>& tags = {}) {
    cloud.add_load_balancer(
        {{"id", id}, {"name", "auid" + id}, {"tags", tags}, {"region", "nyc3"}});
  }
  void service(const std::string& name, const std::string& id, json annotations = json::object()) {
    if (!id.empty()) annotations[kRecorded] = id;
    put(name, {{"type", "LoadBalancer"}, {"ports", json::array({{{"port", 80}}})}}, annotations);
  }
  json tags(const std::string& id) { return cloud.load_balancers().at(id)["tags"]; }
};

TEST_F(TagTest, DO_277_OffWithoutAClusterId) {
  host.config.set_flag("digitalocean-cluster-id", "");
  const Status status = start<TagController>();
  EXPECT_EQ(status.code(), Code::unimplemented);
  EXPECT_NE(status.message().find("DO_CLUSTER_ID"), std::string::npos);
}

TEST_F(TagTest, DO_279_WithoutLoadBalancersNoCallIsMade) {
  put("inner", {{"type", "ClusterIP"}});
  ASSERT_TRUE(start<TagController>().ok());
  pass(minutes(60));
  EXPECT_EQ(cloud.calls(), 0);
}

TEST_F(TagTest, DO_279_DO_280_DO_360_AllThatLackTheTagGetItAtOnce) {
  for (const char* id : {"a", "b", "c"}) balancer(id);
  service("a", "a");
  service("b", "b");
  ASSERT_TRUE(start<TagController>().ok());
  EXPECT_EQ(tags("a"), json::array({"k8s:c1"}));
  EXPECT_EQ(tags("b"), json::array({"k8s:c1"}));
  EXPECT_EQ(tags("c"), json::array());
  // The tag was not there, so: the listing, the try, the tag, the second try.
  EXPECT_EQ(cloud.calls(), 4);
  EXPECT_EQ(cloud.calls("POST", "/v2/tags/k8s:c1/resources") +
                cloud.calls("POST", "/v2/tags/k8s%3Ac1/resources"),
            2);
}

TEST_F(TagTest, DO_278_WhatLosesItGetsItAgainAndElseNothingIsWritten) {
  balancer("a", {"k8s:c1"});
  service("a", "a");
  ASSERT_TRUE(start<TagController>().ok());
  EXPECT_EQ(cloud.writes(), 0);
  cloud.load_balancers().at("a")["tags"] = json::array({"mine"});
  pass(minutes(15));
  EXPECT_EQ(tags("a"), (json::array({"mine", "k8s:c1"})));  // DO-282: others stay
  EXPECT_EQ(cloud.writes(), 1);
  pass(minutes(15));
  EXPECT_EQ(cloud.writes(), 1);
}

TEST_F(TagTest, DO_281_StaleDisownedAndForeignOnesAreLeftOut) {
  balancer("a");
  balancer("left");
  balancer("theirs", {"k8s:c2"});
  service("a", "a");
  service("stale", "gone");
  service("left", "left", {{"service.kubernetes.io/do-loadbalancer-disown", "true"}});
  service("theirs", "theirs");
  ASSERT_TRUE(start<TagController>().ok());
  EXPECT_EQ(tags("a"), json::array({"k8s:c1"}));
  EXPECT_EQ(tags("left"), json::array());
  EXPECT_EQ(tags("theirs"), json::array({"k8s:c2"}));
}

// The annotation is its user's, and the tag would be a claim.
TEST_F(TagTest, DO_104_WhatIsNotProvenToBeTheServicesGetsNoTag) {
  balancer("theirs");
  balancer("by-hand");
  cloud.load_balancers().at("by-hand")["name"] = "by-hand";
  service("a", "theirs");
  service("b", "by-hand");
  ASSERT_TRUE(start<TagController>().ok());
  pass(minutes(15));
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(TagTest, DO_344_AnswersThatDoNotTellTags) {
  balancer("a");
  service("a", "a");
  cloud.load_balancers().at("a").erase("tags");
  cloud.tags()["k8s:c1"];
  ASSERT_TRUE(start<TagController>().ok());
  EXPECT_EQ(cloud.tags().at("k8s:c1"), std::vector<std::string>{"load_balancer/a"});
  cloud.load_balancers().at("a").erase("tags");
  pass(minutes(15));
  EXPECT_EQ(cloud.writes(), 1);
}

TEST_F(TagTest, DO_344_ATaggedOneThatIsGoneIsForgotten) {
  balancer("a");
  service("a", "a");
  cloud.load_balancers().at("a").erase("tags");
  cloud.tags()["k8s:c1"];
  ASSERT_TRUE(start<TagController>().ok());
  json back = cloud.load_balancers().at("a");
  back.erase("tags");
  cloud.load_balancers().erase("a");
  pass(minutes(15));
  EXPECT_EQ(cloud.writes(), 1);
  cloud.load_balancers()["a"] = back;
  pass(minutes(15));
  EXPECT_EQ(cloud.writes(), 2);
}

TEST_F(TagTest, DO_104_AProofThatIsGoneIsNotRemembered) {
  balancer("by-hand");
  json& made = cloud.load_balancers().at("by-hand");
  made["name"] = "by-hand";
  made["ip"] = "192.0.2.7";
  json shown = json::parse(R"({
    "metadata": {"name": "a", "namespace": "default", "uid": "uid-a"},
    "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]},
    "status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}})");
  shown["metadata"]["annotations"][kRecorded] = "by-hand";
  host.kube.put("v1/services", shown.dump());
  ASSERT_TRUE(start<TagController>().ok());
  EXPECT_EQ(tags("by-hand"), json::array({"k8s:c1"}));
  service("a", "by-hand");
  cloud.load_balancers().at("by-hand")["tags"] = json::array();
  pass(minutes(15));
  EXPECT_EQ(tags("by-hand"), json::array());
}

TEST_F(TagTest, DO_280_FaultsAreOutlasted) {
  balancer("a");
  service("a", "a");
  digitalocean_api::ApiFault broken;
  broken.count = 4;
  broken.status = 500;
  cloud.add_fault(broken);
  ASSERT_TRUE(start<TagController>().ok());
  for (int i = 0; i < 20; ++i) pass(minutes(1));
  EXPECT_EQ(tags("a"), json::array({"k8s:c1"}));
}

}  // namespace
}  // namespace ccm::digitalocean

// Backends by tag (DO-231, DO-338).
#include "load_balancer_fixture.hpp"

namespace ccm::digitalocean {
namespace {

class TargetTagTest : public LoadBalancerOperationsTest {
 protected:
  TargetTagTest() { host.config.set_flag("digitalocean-cluster-id", "c1"); }
  static json by_tag(const std::string& tag) { return {{kAnnotation + "target-tag", tag}}; }
  // Droplets that bear the tag.
  std::vector<int64_t> tagged(const std::string& tag) {
    std::vector<int64_t> ids;
    for (int64_t id = 101; id <= 104; ++id) {
      const json& tags = cloud.droplet(id)["tags"];
      if (std::find(tags.begin(), tags.end(), json(tag)) != tags.end()) ids.push_back(id);
    }
    return ids;
  }
  const std::string tag = "k8s:c1:nodes";
  using Ids = std::vector<int64_t>;
};

TEST_F(TargetTagTest, DO_338_TheTagStandsInsteadOfTheDroplets) {
  log_in();
  ASSERT_TRUE(ensure(service(by_tag(tag)), nodes()).ok());
  json sent;
  for (const auto& exchange : cloud.log()) {
    if (exchange.method == "POST" && exchange.path == "/v2/load_balancers") {
      sent = json::parse(exchange.request_body);
    }
  }
  EXPECT_EQ(sent["tag"], tag);
  EXPECT_FALSE(sent.contains("droplet_ids"));
  EXPECT_EQ(tagged(tag), (Ids{101, 102}));
}

TEST_F(TargetTagTest, DO_231_BehindATagANodeThatJoinsIsOneCall) {
  host.config.set_flag("digitalocean-target-tag", tag);
  log_in();
  const auto table = provider.interface<ccm_cloud_loadbalancers>(CCM_CLOUD_LOADBALANCERS);
  const Ctx ctx = provider.ctx();
  const auto all = [&](auto function, const char* name, const std::vector<std::string>& ids,
                       int count) {
    std::vector<testing::Pending<Result<LoadBalancer>>> pending;
    for (int i = 0; i < 20; ++i) {
      const std::string uid = "uid-" + std::to_string(i);
      const std::string id = ids.empty() ? "" : ids[static_cast<size_t>(i)];
      LoadBalancers::Apply call{table,       function, name, ctx, service({}, id, uid, "a" + uid),
                                nodes(count)};
      pending.push_back(provider.start(name, std::move(call)));
    }
    std::vector<std::string> found;
    for (const auto& one : pending) found.push_back(provider.finish(one)->id);
    return found;
  };
  const auto ids = all(&ccm_cloud_loadbalancers::ensure, "ensure", {}, 2);
  pass();
  cloud.clear_log();
  EXPECT_EQ(all(&ccm_cloud_loadbalancers::update_backends, "update_backends", ids, 3), ids);
  EXPECT_EQ(tagged(tag), (Ids{101, 102, 103}));
  EXPECT_EQ(cloud.writes(), 1);
  pass();
  cloud.clear_log();
  EXPECT_EQ(all(&ccm_cloud_loadbalancers::update_backends, "update_backends", ids, 1), ids);
  EXPECT_EQ(tagged(tag), Ids{101});
  EXPECT_EQ(cloud.writes(), 1);
  // Unchanged: nothing is written.
  pass();
  cloud.clear_log();
  EXPECT_EQ(all(&ccm_cloud_loadbalancers::ensure, "ensure", ids, 1), ids);
  EXPECT_EQ(cloud.writes(), 0);
}

TEST_F(TargetTagTest, OneThatListsItsDropletsGoesOverAndBack) {
  log_in();
  const std::string id = made(service(), nodes());
  EXPECT_EQ(ensure(service(by_tag(tag), id), nodes())->difference, "target tag");
  EXPECT_EQ(the_balancer()["tag"], tag);
  pass();
  EXPECT_EQ(ensure(service(by_tag(tag), id), nodes())->difference, "");
  EXPECT_EQ(ensure(service({}, id), nodes())->difference, "target tag");
  EXPECT_EQ(the_balancer()["tag"], "");
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101, 102}));
}

TEST_F(TargetTagTest, WhatBearsTheClustersTagWithoutBeingANodeLosesIt) {
  log_in();
  cloud.tags()[tag];
  cloud.droplet(104)["tags"] = {tag, "other"};
  ASSERT_TRUE(ensure(service(by_tag(tag)), nodes()).ok());
  EXPECT_EQ(tagged(tag), (Ids{101, 102}));
  EXPECT_EQ(tagged("other"), Ids{104});
}

// Firewalls or volumes of the administrator's may hang on it.
TEST_F(TargetTagTest, ATagOfTheAdministratorsIsTakenOnlyFromWhatWasANode) {
  host.config.set_flag("digitalocean-target-tag", "web");
  log_in();
  cloud.tags()["web"];
  cloud.droplet(104)["tags"] = {"web"};
  const std::string id = made(service(by_tag("web")), nodes(3));
  EXPECT_EQ(tagged("web"), (Ids{101, 102, 103, 104}));
  ASSERT_TRUE(update(service(by_tag("web"), id), nodes(2)).ok());
  EXPECT_EQ(tagged("web"), (Ids{101, 102, 104}));
}

// Other firewalls and databases may be open to it.
TEST_F(TargetTagTest, ATagThatIsNotTheClustersIsRefused) {
  log_in();
  const std::string id = made(service(), nodes());
  cloud.tags()["db-clients"];
  for (const char* other : {"db-clients", "k8s:c2:nodes", "k8s:c1", "k8s:c1:service:x"}) {
    const Status refused = ensure(service(by_tag(other), id), nodes()).status();
    EXPECT_EQ(refused.error_class(), ErrorClass::invalid_spec) << other;
    EXPECT_NE(refused.message().find("begins with the cluster's own \"k8s:c1:\""),
              std::string::npos)
        << refused.message();
  }
  EXPECT_EQ(cloud.writes(), 0);
  EXPECT_EQ(tagged("db-clients"), Ids{});
}

// A tag that a load balancer was given by hand is not put on more droplets.
TEST_F(TargetTagTest, ATagThatTheServiceDoesNotWantGetsNoDroplets) {
  log_in();
  const std::string id = made(service(), nodes());
  cloud.load_balancers().at(id)["tag"] = "db-clients";
  pass();
  EXPECT_EQ(update(service({}, id), nodes(3))->difference, "target tag, backends");
  EXPECT_EQ(tagged("db-clients"), Ids{});
  EXPECT_EQ(the_balancer()["droplet_ids"], json::array({101, 102, 103}));
}

TEST_F(TargetTagTest, TheKubeSystemNamespaceStandsForAnIdThatIsNotGiven) {
  host.config.set_flag("digitalocean-cluster-id", "");
  host.kube.put("v1/namespaces", R"({"metadata":{"name":"kube-system","uid":"c-uid"}})");
  log_in();
  ASSERT_TRUE(ensure(service(by_tag("k8s:c-uid:nodes")), nodes()).ok());
  EXPECT_EQ(tagged("k8s:c-uid:nodes"), (Ids{101, 102}));
}

TEST_F(TargetTagTest, WhatIsTakenAwayByHandComesBack) {
  log_in();
  const std::string id = made(service(by_tag(tag)), nodes());
  cloud.droplet(101)["tags"] = json::array();
  pass(seconds(301));
  ASSERT_TRUE(ensure(service(by_tag(tag), id), nodes()).ok());
  EXPECT_EQ(tagged(tag), (Ids{101, 102}));
}

TEST_F(TargetTagTest, AFaultInBetweenIsOutlasted) {
  log_in();
  const std::string id = made(service(by_tag(tag)), nodes());
  digitalocean_api::ApiFault lost;
  lost.path_prefix = "/v2/tags";
  lost.lose_answer = true;
  cloud.add_fault(lost);
  EXPECT_FALSE(update(service(by_tag(tag), id), nodes(3)).ok());
  EXPECT_TRUE(update(service(by_tag(tag), id), nodes(3)).ok());
  EXPECT_EQ(tagged(tag), (Ids{101, 102, 103}));
}

TEST_F(TargetTagTest, DO_353_WhatIsNoTagIsRefused) {
  log_in();
  EXPECT_EQ(ensure(service(by_tag("not a tag")), nodes()).status().message(),
            "invalid tag \"not a tag\" specified in annotation \"" + kAnnotation +
                "target-tag\": only the tag of --digitalocean-target-tag may be used, or one that "
                "begins with the cluster's own \"k8s:c1:\"");
  EXPECT_EQ(cloud.writes(), 0);
}

}  // namespace
}  // namespace ccm::digitalocean

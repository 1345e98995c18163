// The real manager with digitalocean.so against the fake of the API and an API server.
#include "manager_fixture.hpp"

#include <cstdlib>

namespace ccm::digitalocean_api {
namespace {

int64_t node_count() {
  const char* given = std::getenv("CCM_TEST_NODES");
  return given != nullptr ? std::stoll(given) : 450;
}

TEST_F(ManagerTest, NodesAreInitialisedByOneListing) {
  const int64_t count = node_count();
  cloud_.with([&](Api& api) {
    api.generate_droplets(1000, count, "worker-");
    api.latency = Milliseconds(50);
  });
  for (int64_t i = 0; i < count; ++i) {
    join(1000 + i, "worker-" + std::to_string(i), i % 2 == 0);
    if (HasFatalFailure()) return;
  }
  const auto begin = std::chrono::steady_clock::now();
  start("cloud-node-controller");
  ASSERT_TRUE(
      support::eventually(support::patience(), [&] { return initialised("worker-") == count; }))
      << initialised("worker-") << " of " << count;
  const auto took =
      std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - begin);
  const json node = api_.get("/api/v1/nodes/worker-7").body;
  EXPECT_EQ(node["spec"]["providerID"], "digitalocean://1007");
  EXPECT_EQ(node["metadata"]["labels"]["node.kubernetes.io/instance-type"], "s-1vcpu-2gb");
  EXPECT_EQ(node["metadata"]["labels"]["topology.kubernetes.io/region"], "nyc3");
  EXPECT_EQ(node["status"]["addresses"], json::parse(R"([{"type":"Hostname","address":"worker-7"},
                            {"type":"InternalIP","address":"10.0.3.239"},
                            {"type":"ExternalIP","address":"203.0.3.239"}])"));
  // The pages of one listing, that of GPU droplets, the token and the region; a second listing may
  // follow when the first one was too early for a node.
  const int64_t pages = (count + 199) / 200;
  EXPECT_LE(calls(), 2 * (pages + 1) + 2);
  RecordProperty("calls", static_cast<int>(calls()));
  std::printf("%lld nodes initialised in %lld ms with %lld calls\n", static_cast<long long>(count),
              static_cast<long long>(took.count()), static_cast<long long>(calls()));
}

TEST_F(ManagerTest, DO_65_ANodeWhoseDropletIsGoneIsDeleted) {
  cloud_.with([](Api& api) { api.generate_droplets(2000, 3, "gone-"); });
  for (int i = 0; i < 3; ++i) join(2000 + i, "gone-" + std::to_string(i), true);
  start("cloud-node-controller,cloud-node-lifecycle-controller");
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return initialised("gone-") == 3; }));
  cloud_.with([](Api& api) { api.remove_droplet(2001); });
  const json not_ready = {
      {"status",
       {{"conditions", json::array({{{"type", "Ready"},
                                     {"status", "Unknown"},
                                     {"reason", "NodeStatusUnknown"},
                                     {"lastHeartbeatTime", "2026-01-01T00:00:00Z"},
                                     {"lastTransitionTime", "2026-01-01T00:00:00Z"}}})}}}};
  api_.patch("/api/v1/nodes/gone-1/status", support::kStrategicPatch, not_ready);
  EXPECT_TRUE(support::eventually(support::patience(),
                                  [&] { return api_.get("/api/v1/nodes/gone-1").status == 404; }));
  EXPECT_EQ(api_.get("/api/v1/nodes/gone-0").status, 200);
}

TEST_F(ManagerTest, DO_358_AServiceGetsItsLoadBalancerAndARestartWritesNothing) {
  cloud_.with([](Api& api) {
    api.generate_droplets(3000, 2, "lb-");
    api.activation_delay = Milliseconds(1500);
  });
  for (int i = 0; i < 2; ++i) join(3000 + i, "lb-" + std::to_string(i), true);
  start("cloud-node-controller,service-lb-controller");
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return initialised("lb-") == 2; }));
  serve("web");
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return has_address("web"); }))
      << api_.get("/api/v1/namespaces/default/services/web").http.body;
  const json service = api_.get("/api/v1/namespaces/default/services/web").body;
  const std::string id =
      service["metadata"]["annotations"]["kubernetes.digitalocean.com/load-balancer-id"];
  cloud_.with([&](Api& api) {
    ASSERT_EQ(api.load_balancers().size(), 1U);
    EXPECT_EQ(api.load_balancers().begin()->first, id);
    EXPECT_EQ(api.load_balancers().at(id)["droplet_ids"], json::array({3000, 3001}));
    EXPECT_EQ(api.writes(), 1);
    api.clear_log();
  });
  manager_->stop();
  start("cloud-node-controller,service-lb-controller");
  // The second Service is seen after the first one, so when it is done nothing is left to do.
  serve("web-2");
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return has_address("web-2"); }));
  cloud_.with([](Api& api) { EXPECT_EQ(api.writes(), 1); });
  api_.remove("/api/v1/namespaces/default/services/web");
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    size_t left = 0;
    cloud_.with([&](Api& api) { left = api.load_balancers().size(); });
    return left == 1 && api_.get("/api/v1/namespaces/default/services/web").status == 404;
  }));
  cloud_.with([&](Api& api) { EXPECT_FALSE(api.load_balancers().contains(id)); });
}

// It is seen before it has the public address without which it is no backend.
TEST_F(ManagerTest, DO_208_ANodeThatRegistersWithItsProviderIdBecomesABackend) {
  cloud_.with([](Api& api) { api.generate_droplets(6000, 1, "early-"); });
  join(6000, "early-0", true);
  start("cloud-node-controller,service-lb-controller");
  serve("web");
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return has_address("web"); }));
  // Slow enough for the pass that its registration sets off to come before its initialisation.
  cloud_.with([](Api& api) {
    api.latency = Milliseconds(1'500);
    api.generate_droplets(6001, 1, "late-");
  });
  join(6001, "late-0", true);
  EXPECT_TRUE(support::eventually(support::patience(), [&] {
    json droplets;
    cloud_.with([&](Api& api) { droplets = api.load_balancers().begin()->second["droplet_ids"]; });
    return droplets == json::array({6000, 6001});
  }));
}

// All controllers, an election and the endpoint, as in the Deployment.
TEST_F(ManagerTest, TheDeploymentsRoleIsEnough) {
  cloud_.with([](Api& api) { api.generate_droplets(4000, 1, "role-"); });
  join(4000, "role-0", true);
  start("*", {}, {"--leader-elect=true", "--secure-port=0"});
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return initialised("role-") == 1; }))
      << manager_->log();
  serve("role");
  EXPECT_TRUE(support::eventually(support::patience(), [&] { return has_address("role"); }));
  for (const char* complaint : {"permissions", "orbidden", "PermissionDenied"}) {
    EXPECT_EQ(manager_->log().find(complaint), std::string::npos) << complaint << "\n"
                                                                  << manager_->log();
  }
}

TEST_F(ManagerTest, DO_312_TheLastTenthOfTheHourIsForNewNodesAndServices) {
  cloud_.with([](Api& api) {
    api.generate_droplets(5000, 2, "kept-");
    api.hourly_limit = 1000;
    api.minute_limit = 100'000;
  });
  join(5000, "kept-0", true);
  // --v: what has to wait for the cloud is no error.
  start("cloud-node-controller,service-lb-controller", {},
        {"--leader-elect=false", "--secure-port=0", "--node-status-update-frequency=1s", "--v=4"});
  ASSERT_TRUE(support::eventually(support::patience(), [&] { return initialised("kept-") == 1; }));
  cloud_.with([](Api& api) {  // somebody else with the same token
    const ApiRequest request{"GET", "/v2/account", "Bearer " + api.token, "", ""};
    for (int64_t call = api.calls(); call < 920; ++call) api.handle(request);
  });
  ASSERT_TRUE(support::eventually(support::patience(), [&] {
    return manager_->log().find("calls of the cloud's limit are left") != std::string::npos;
  })) << "the refresh has to wait";
  const int64_t before = calls();
  join(5001, "kept-1", true);
  serve("web");
  EXPECT_TRUE(support::eventually(support::patience(),
                                  [&] { return initialised("kept-") == 2 && has_address("web"); }));
  EXPECT_LT(calls() - before, 20);
}

TEST_F(ManagerTest, DO_11_AWrongRegionIsOneClearLineAndTheEnd) {
  start("cloud-node-controller", {{"REGION", "mars1"}});
  const auto ended = manager_->wait(support::patience());
  ASSERT_TRUE(ended);
  EXPECT_NE(ended->code, 0);
  EXPECT_NE(manager_->log().find("invalid region specified: mars1"), std::string::npos);
  EXPECT_EQ(manager_->log().find("dop_v1_test"), std::string::npos);
}

TEST_F(ManagerTest, DO_6_AMissingTokenIsOneClearLineAndTheEnd) {
  start("cloud-node-controller", {{"DO_ACCESS_TOKEN", ""}});
  const auto ended = manager_->wait(support::patience());
  ASSERT_TRUE(ended);
  EXPECT_NE(ended->code, 0);
  EXPECT_NE(manager_->log().find("environment variable \\\"DO_ACCESS_TOKEN\\\" is required"),
            std::string::npos)
      << manager_->log();
}

}  // namespace
}  // namespace ccm::digitalocean_api

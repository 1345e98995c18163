// The real manager with digitalocean.so against the fake of the API and an API server.
#include "digitalocean_api/server.hpp"
#include "support/eventually.hpp"
#include "support/file.hpp"
#include "support/process.hpp"
#include "support/test_server.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace ccm::digitalocean_api {
namespace {

using support::KubeClient;
using support::TestServer;

constexpr const char* kTaint = "node.cloudprovider.kubernetes.io/uninitialized";

int64_t node_count() {
  const char* given = std::getenv("CCM_TEST_NODES");
  return given != nullptr ? std::stoll(given) : 450;
}

class ManagerTest : public ::testing::Test {
 protected:
  ~ManagerTest() override {
    if (!manager_) return;
    manager_->stop();
    if (HasFailure()) std::fputs(tail(manager_->log()).c_str(), stderr);
  }
  static std::string tail(const std::string& text) {
    return text.substr(text.size() - std::min<size_t>(text.size(), 5000));
  }

  void start(const std::string& controllers, std::map<std::string, std::string> environment = {}) {
    const auto log = folder_.path() / "manager.log";
    const std::map<std::string, std::string> usual = {{"DO_ACCESS_TOKEN", "dop_v1_test"},
                                                      {"DO_OVERRIDE_URL", cloud_.url()},
                                                      {"REGION", "nyc3"},
                                                      {"KUBECONFIG", ""},
                                                      {"HOME", ""}};
    environment.insert(usual.begin(), usual.end());
    const std::vector<std::string> command = {
        support::program("CCM_MANAGER", CCM_MANAGER_PROGRAM),
        "--kubeconfig=" + server_.manager_kubeconfig().string(),
        "--cloud-provider=digitalocean",
        "--controllers=" + controllers,
        "--leader-elect=false",
        "--secure-port=0"};
    manager_ = std::make_unique<support::Process>(
        command, support::ProcessOptions{log, std::move(environment)});
  }
  void join(int64_t id, const std::string& name, bool with_provider_id) {
    json node = {
        {"apiVersion", "v1"},
        {"kind", "Node"},
        {"metadata", {{"name", name}}},
        {"spec",
         {{"taints",
           json::array({{{"key", kTaint}, {"value", "true"}, {"effect", "NoSchedule"}}})}}}};
    if (with_provider_id) node["spec"]["providerID"] = "digitalocean://" + std::to_string(id);
    const auto created = api_.create("/api/v1/nodes", node);
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  // Those whose name begins so and that have not got the taint (any more).
  int64_t initialised(const std::string& prefix) {
    int64_t count = 0;
    const auto nodes = api_.get("/api/v1/nodes");
    for (const json& node : nodes.body.at("items")) {
      if (!node.at("metadata").at("name").get<std::string>().starts_with(prefix)) continue;
      bool tainted = false;
      for (const json& taint : node.at("spec").value("taints", json::array())) {
        tainted = tainted || taint.at("key") == kTaint;
      }
      count += tainted ? 0 : 1;
    }
    return count;
  }
  void serve(const std::string& name) {
    const auto created =
        api_.create("/api/v1/namespaces/default/services",
                    {{"apiVersion", "v1"},
                     {"kind", "Service"},
                     {"metadata", {{"name", name}}},
                     {"spec",
                      {{"type", "LoadBalancer"},
                       {"selector", {{"app", name}}},
                       {"ports", json::array({{{"port", 80}, {"protocol", "TCP"}}})}}}});
    ASSERT_EQ(created.status, 201) << created.http.body;
  }
  bool has_address(const std::string& name) {
    const json service = api_.get("/api/v1/namespaces/default/services/" + name).body;
    const json status = service.value("status", json::object());
    return status.contains("loadBalancer") &&
           !status["loadBalancer"].value("ingress", json::array()).empty();
  }
  int64_t calls() {
    int64_t count = 0;
    cloud_.with([&](Api& api) { count = api.calls(); });
    return count;
  }

  support::TemporaryFolder folder_{"ccm-digitalocean"};
  TestServer server_{folder_.path()};
  KubeClient api_{server_.client()};
  Server cloud_;
  std::unique_ptr<support::Process> manager_;
};

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

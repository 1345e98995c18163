// The faults that the alerts of deploy/ are about, injected into a real manager: a real Prometheus
// with those rules sees each alert fire. Only their `for` is left out, which would take minutes.
#include "endpoint_fixture.hpp"
#include "queries.hpp"
#include "support/command.hpp"
#include "support/eventually.hpp"

#include <regex>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

constexpr const char* kLeading = "leader_election_master_status == 1";

class AlertsTest : public EndpointTest {
 protected:
  void SetUp() override {
    if (!Prometheus::installed()) {
      GTEST_SKIP() << Prometheus::program() << " is not installed (Debian: prometheus)";
    }
  }
  // Prometheus scrapes the manager, and any other given port.
  void watch(const std::vector<int>& more_ports = {}) {
    std::vector<std::string> targets = {"127.0.0.1:" + std::to_string(port())};
    for (const int more : more_ports) targets.push_back("127.0.0.1:" + std::to_string(more));
    const std::string rules =
        support::read_file(CCM_DEPLOY "/alerts/cloud-controller-manager.rules.yaml");
    const auto immediate = folder_.path() / "rules.yaml";
    support::write_file(
        immediate, std::regex_replace(rules, std::regex("\n( +)for: [0-9]+m\n"), "\n$1for: 0s\n"));
    const std::vector<Prometheus::Job> jobs = {{kJob, targets, certificate(), scraper()}};
    prometheus_ = std::make_unique<Prometheus>(folder_.path(), immediate, jobs);
  }
  // As watch(), for a manager with which all is well: no alert fires.
  void watch_healthy(const std::vector<int>& more_ports = {}) {
    watch(more_ports);
    ASSERT_TRUE(eventually(patience(), [this] { return prometheus_->answer(kLeading).series > 0; }))
        << prometheus_->scrape_of(kJob);
    ASSERT_TRUE(eventually(patience(), [this] { return prometheus_->firing().empty(); })) << list();
  }
  [[nodiscard]] bool fires(const std::string& alert) const {
    return prometheus_->firing().contains("CloudControllerManager" + alert);
  }
  void expect_firing(const std::string& alert) {
    EXPECT_TRUE(eventually(patience(), [&] { return fires(alert); })) << alert << ": " << list();
  }
  [[nodiscard]] std::string list() const {
    std::string text = "these fire:";
    for (const std::string& name : prometheus_->firing()) text += " " + name;
    return text;
  }
  // The endpoint's answer, or status 0 while there is none.
  support::HttpResponse try_to_ask(const std::string& target) {
    try {
      return ask(target, scraper());
    } catch (const std::runtime_error&) {
      return {};
    }
  }

  void join(const std::string& name, const json& spec = json::object()) {
    const auto answer = api_.create(
        "/api/v1/nodes",
        {{"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}, {"spec", spec}});
    ASSERT_TRUE(answer.ok()) << answer.http.body;
    set_ready(name, "True");
  }
  void set_ready(const std::string& node, const std::string& status) {
    const json ready = {{"type", "Ready"}, {"status", status}};
    const auto answer = api_.patch("/api/v1/nodes/" + node + "/status", support::kMergePatch,
                                   {{"status", {{"conditions", json::array({ready})}}}});
    ASSERT_TRUE(answer.ok()) << answer.http.body;
  }
  // The plugin blocks the loop for this time when it sees the Node.
  void stall(int milliseconds) {
    join("stall-" + std::to_string(milliseconds) + "-" + std::to_string(++stalls_));
  }

  std::unique_ptr<Prometheus> prometheus_;
  int stalls_ = 0;
};

// Two Leases with one name. One Lease with two holders cannot be produced: managers stop leading
// when they cannot renew it.
TEST_F(AlertsTest, TwoManagersLead) {
  const support::ReservedPort second;
  start(reviews());
  watch_healthy({second.port()});
  const std::unique_ptr<support::Process> first = std::move(manager_);
  // The printed rights are for kube-system's Leases only.
  start(reviews(), {"--kubeconfig=" + server_.kubeconfig().string(),
                    "--leader-elect-resource-namespace=default", "--permit-port-sharing=false",
                    "--secure-port=" + std::to_string(second.port())});
  expect_firing("TwoLeaders");
  manager_->stop();
  EXPECT_TRUE(eventually(patience(), [this] { return !fires("TwoLeaders"); })) << list();
}

TEST_F(AlertsTest, ManyInstancesVanishAtOnce) {
  constexpr int kNodes = 6;
  const auto name = [](int i) { return "node-" + std::to_string(i); };
  for (int i = 0; i < kNodes; ++i) {
    cloud_.control("PUT", "/machines/" + name(i), {{"id", name(i)}, {"name", name(i)}});
    join(name(i), {{"providerID", "sandbox://" + name(i)}});
  }
  start(reviews(),
        {"--controllers=cloud-node-lifecycle-controller", "--node-monitor-period=300ms"});
  watch_healthy();
  for (int i = 1; i < kNodes; ++i) cloud_.control("DELETE", "/machines/" + name(i));
  for (int i = 1; i < kNodes; ++i) set_ready(name(i), "Unknown");
  expect_firing("DeletionBrake");
  expect_firing("ListDoubted");
  EXPECT_EQ(api_.get("/api/v1/nodes").body.at("items").size(), std::size_t{kNodes});
}

// Somebody deletes it in the cloud, again and again; a provider that does not find what it makes
// looks the same.
TEST_F(AlertsTest, Issue41_3_ALoadBalancerIsReplacedAgainAndAgain) {
  start(reviews(), {"--controllers=service-lb-controller", "--load-balancer-audit-period=300ms"});
  watch_healthy();
  make_service("web");
  delete_two_load_balancers("web");
  expect_firing("ReplacementsHeld");
  EXPECT_EQ(load_balancer_of("web"), "lb-2");
}

// The rule looks back over 10 minutes, so Prometheus comes when the queue is full already.
TEST_F(AlertsTest, ACloudThatDoesNotAnswerFillsTheQueue) {
  cloud_.control("PUT", "/faults", {{"operations", {{"CreateLoadBalancer", "hang"}}}});
  start(reviews(), {"--controllers=service-lb-controller", "--concurrent-service-syncs=1"});
  const json port = {{"port", 80}, {"protocol", "TCP"}};
  for (int i = 0; i < 60; ++i) {
    const json service = {{"apiVersion", "v1"},
                          {"kind", "Service"},
                          {"metadata", {{"name", "web-" + std::to_string(i)}}},
                          {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({port})}}}};
    ASSERT_TRUE(api_.create("/api/v1/namespaces/default/services", service).ok());
  }
  const std::regex full("workqueue_depth\\{name=\"service[^}]*\\} 5[1-9]");
  EXPECT_TRUE(eventually(patience(), [&] {
    return std::regex_search(try_to_ask("/metrics").body, full);
  })) << try_to_ask("/metrics").body;
  watch();
  expect_firing("QueueGrows");
}

// Some clouds say so with 403, which is no fault of the credential.
TEST_F(AlertsTest, TheCloudsLimitOfLoadBalancersIsReached) {
  cloud_.control("PUT", "/settings", {{"load_balancers", 1}});
  start(reviews(), {"--controllers=service-lb-controller"});
  watch_healthy();
  int made = 0;
  EXPECT_TRUE(eventually(patience(), [&] {
    const json port = {{"port", 80}, {"protocol", "TCP"}};
    const json service = {{"apiVersion", "v1"},
                          {"kind", "Service"},
                          {"metadata", {{"name", "web-" + std::to_string(++made)}}},
                          {"spec", {{"type", "LoadBalancer"}, {"ports", json::array({port})}}}};
    return api_.create("/api/v1/namespaces/default/services", service).ok() && fires("CloudQuota");
  })) << list();
  expect_firing("ObjectsRefused");
  EXPECT_FALSE(fires("CloudRefuses")) << list();
  EXPECT_FALSE(fires("CloudUnhealthy")) << "a limit of the account is an answer: " << list();
}

TEST_F(AlertsTest, TheCloudRefusesTheCredential) {
  start(reviews());
  watch_healthy();
  cloud_.control("PUT", "/token", {{"token", "another"}});
  join("node-1",
       {{"taints", json::array({{{"key", "node.cloudprovider.kubernetes.io/uninitialized"},
                                 {"effect", "NoSchedule"}}})}});
  expect_firing("CloudUnhealthy");
}

TEST_F(AlertsTest, TheApiServerFailsAList) {
  const std::string through_proxy = "--kubeconfig=" + reviews_through_proxy();
  proxy_->add({.method = "GET", .target = "/nodes", .status = 500});
  launch(reviews(), {through_proxy});
  ASSERT_TRUE(eventually(patience(), [this] { return try_to_ask("/livez").status == 200; }))
      << manager_->log();
  watch();
  expect_firing("CacheStale");
  expect_firing("ApiErrors");
  proxy_->clear();
  EXPECT_TRUE(eventually(patience(), [this] { return !fires("CacheStale"); })) << list();
}

// Degraded shows in /readyz, but the process is alive: a new one would have the same plugin.
TEST_F(AlertsTest, APluginStallsTheLoop) {
  start(reviews(), {"--controllers=cloud-node-controller,stalling",
                    "--plugin-path=" + support::plugin_folder().string(),
                    std::string("--plugin-path=") + CCM_STALLING_PATH});
  watch_healthy();
  EXPECT_TRUE(contains(ask("/readyz?verbose", scraper()).body, "[+]plugin-stalling ok"));

  stall(3000);
  expect_firing("LoopLate");
  EXPECT_FALSE(fires("PluginDegraded")) << "one stall is no reason";
  for (int i = 0; i < 10; ++i) stall(100);
  expect_firing("PluginDegraded");
  // Another one each time: a slow machine may need more than the minute that ten stalls count.
  EXPECT_TRUE(eventually(patience(), [this] {
    stall(100);
    const auto ready = try_to_ask("/readyz?verbose");
    return ready.status == 500 && contains(ready.body, "[-]plugin-stalling failed") &&
           contains(ready.body, "[+]plugin-cloud-node-controller ok");
  })) << try_to_ask("/readyz?verbose").body;
  const std::string degraded =
      "ccm_plugin_degraded{component=\"stalling\",plugin=\"test.stalling\"}";
  const std::string metrics = ask("/metrics", scraper()).body;
  EXPECT_TRUE(contains(metrics, degraded + " 1\n")) << metrics;
  for (const char* page : {"/livez?verbose", "/healthz?verbose"}) {
    const auto alive = ask(page, scraper());
    EXPECT_EQ(alive.status, 200) << alive.body;
    EXPECT_FALSE(contains(alive.body, "plugin-stalling")) << alive.body;
  }
}

TEST_F(AlertsTest, TheServingCertificateExpiresWithinAWeek) {
  const std::filesystem::path file = certificate();
  const std::filesystem::path key = std::filesystem::path(file).replace_extension("key");
  std::filesystem::create_directories(file.parent_path());
  const auto made = support::run_command(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test "
      "-addext subjectAltName=IP:127.0.0.1 -out " +
      file.string() + " -keyout " + key.string());
  ASSERT_EQ(made.exit_code, 0) << made.output;
  start(reviews());
  watch();
  expect_firing("CertificateExpires");
  EXPECT_FALSE(fires("TokenExpires")) << list();
}

}  // namespace
}  // namespace ccm::e2e

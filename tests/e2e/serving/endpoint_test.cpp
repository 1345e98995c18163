// The pages of the real manager's endpoint, and who may read them.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <cstdlib>

namespace ccm::e2e {
namespace {

using nlohmann::json;
using support::eventually;
using support::patience;

TEST_F(EndpointTest, HOST_101_102_MetricsGoToWhomTheClusterAllowsThem) {
  start(reviews());
  ASSERT_TRUE(manager_->running());
  EXPECT_EQ(ask("/healthz").body, "ok");
  const auto anonymous = ask("/metrics");
  EXPECT_EQ(anonymous.status, 403);
  EXPECT_EQ(json::parse(anonymous.body).at("message"),
            "forbidden: User \"system:anonymous\" cannot get path \"/metrics\"");
  EXPECT_EQ(ask("/metrics", "no-such-token").status, 401);
  const auto refused = ask("/metrics", nobody());
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(contains(refused.body, "system:serviceaccount:default:nobody")) << refused.body;
  const auto granted = ask("/metrics", scraper());
  EXPECT_EQ(granted.status, 200) << granted.body;
  EXPECT_EQ(granted.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ask("/metrics/slis", scraper()).status, 200);
  EXPECT_EQ(ask("/none", nobody()).status, 403);
  for (const std::string& secret : {scraper(), nobody()}) {
    EXPECT_FALSE(contains(manager_->log(), secret)) << "a token is in the log";
  }
}

TEST_F(EndpointTest, MET_5_16_17_19_26_45_UpstreamsNamesHaveValues) {
  start(reviews(), {"--controllers=service-lb-controller"});
  std::string text;
  const auto holds = [&](const std::string& line) {
    return eventually(patience(), [&] {
      text = ask("/metrics", scraper()).body;
      return contains("\n" + text, "\n" + line);
    });
  };
  for (const char* line :
       {"leader_election_master_status{name=\"cloud-controller-manager\"} 1\n",
        "running_managed_controllers{manager=\"cloud-controller-manager\",name=\"cloud-node\"} 1\n",
        "running_managed_controllers{manager=\"cloud-controller-manager\",name=\"service\"} 1\n",
        "service_controller_nodesync_error_total 0\n",
        "process_network_receive_bytes_total ",
        "registered_metrics_total{deprecated_version=\"\",stability_level=\"ALPHA\"} ",
        "hidden_metrics_total 0\n",
        "disabled_metrics_total 0\n",
        "authentication_token_cache_request_total{status=\"hit\"} ",
        "apiserver_client_certificate_expiration_seconds_count 0\n",
        "workqueue_depth{name=\"",
        "workqueue_adds_total{name=\"",
        "workqueue_queue_duration_seconds_bucket{name=\"",
        "rest_client_requests_total{code=\"200\"",
        "rest_client_request_duration_seconds_bucket{host=\"127.0.0.1:",
        "ccm_cache_objects{resource=\"v1/nodes\"} 0\n",
        "ccm_cache_synced{resource=\"v1/nodes\"} 1\n",
        "apiserver_delegated_authn_request_total{code=\"201\"} ",
        "process_resident_memory_bytes ",
        "ccm_event_loop_lag_seconds_count ",
        "kubernetes_build_info{"}) {
    EXPECT_TRUE(holds(line)) << line << "\n" << text;
  }
  text = ask("/metrics/slis", scraper()).body;
  EXPECT_TRUE(contains("\n" + text, "\nprocess_start_time_seconds ")) << text;
}

// Upstream's names of these three break the tool's rules.
TEST_F(EndpointTest, MET_1_TheTextPassesPromtool) {
  const char* named = std::getenv("CCM_PROMTOOL");
  const std::string tool = named != nullptr ? named : "promtool";
  if (std::system((tool + " --version >/dev/null 2>&1").c_str()) != 0) {
    GTEST_SKIP() << "promtool is not installed (Debian: prometheus)";
  }
  start(reviews());
  for (const char* page : {"/metrics", "/metrics/slis"}) {
    ask("/readyz");
    const auto file = folder_.path() / "metrics.txt";
    support::write_file(file, ask(page, scraper()).body);
    const auto found = folder_.path() / "found.txt";
    std::system((tool + " check metrics <" + file.string() + " 2>&1 | grep -v -e '^$' " +
                 "-e ^authenticated_user_requests -e ^authentication_attempts "
                 "-e ^authentication_token_cache_active_fetch_count >" +
                 found.string())
                    .c_str());
    EXPECT_EQ(support::read_file(found), "") << page;
  }
}

TEST_F(EndpointTest, HOST_98_VerbosityChangesAtRunTime) {
  start(reviews());
  EXPECT_EQ(ask("/debug/flags/v", {}, "PUT", "4").status, 403);
  if (real()) {
    EXPECT_EQ(ask("/debug/flags/v", scraper(), "PUT", "4").status, 403)
        << "it may only read metrics";
    return;
  }
  EXPECT_EQ(ask("/debug/flags/v", scraper(), "PUT", "x").status, 400);
  EXPECT_EQ(ask("/debug/flags/v", scraper(), "PUT", "4").body,
            "successfully set klog.logging.verbosity to 4");
}

// By a client that has all rights: on the real server nobody else may see these by default.
TEST_F(EndpointTest, HOST_97_PagesForPeople) {
  start(reviews(), {"--controllers=cloud-node-controller,service-lb-controller"});
  const support::Credentials admin = support::read_kubeconfig(server_.kubeconfig());
  support::HttpResponse answer;
  const auto see = [&](const std::string& page, const std::string& accept) {
    EXPECT_TRUE(eventually(patience(),
                           [&] {
                             answer = ask_with(admin, page, accept);
                             return answer.status == 200;
                           }))
        << page << answer.status << answer.body;
    return answer.body;
  };
  const json config =
      json::parse(see("/configz", "*/*")).at("cloudcontrollermanager.config.k8s.io");
  EXPECT_EQ(config.at("kind"), "CloudControllerManagerConfiguration");
  EXPECT_EQ(config.at("KubeCloudShared").at("CloudProvider").at("Name"), "sandbox");
  EXPECT_EQ(config.at("NodeStatusUpdateFrequency"), "5m0s");
  // These are in force without flags, and are not upstream's defaults.
  const json& client = config.at("Generic").at("ClientConnection");
  EXPECT_EQ(client.at("qps"), -1.0);
  EXPECT_EQ(client.at("burst"), -1);
  EXPECT_TRUE(eventually(patience(), [&] {
    const json now = json::parse(see("/configz", "*/*")).at("cloudcontrollermanager.config.k8s.io");
    return now.at("NodeController").at("ConcurrentNodeSyncs") == 64 &&
           now.at("NodeController").at("ConcurrentNodeStatusUpdates") == 64 &&
           now.at("ServiceController").at("ConcurrentServiceSyncs") == 64;
  }));
  EXPECT_TRUE(contains(see("/flagz", "*/*"), "\ncloud-provider=sandbox\n"));
  const std::string text = see("/statusz", "*/*");
  for (const char* part :
       {"\nStarted: ", "\nUp: 0 hr 00 min ", "\nBinary version: v", "/metrics/slis", "leading=true",
        "Provider: sandbox (ready)", "Deletion brake, nodes: ", "\n  cloud-node-controller: ",
        "queue.ready=0", "\n  v1/nodes: "}) {
    EXPECT_TRUE(contains(text, part)) << part << text;
  }
  const json status = json::parse(see("/statusz", "application/json"));
  EXPECT_EQ(status.at("kind"), "Statusz");
  EXPECT_EQ(status.at("leaderElection").at("leading"), true);
  EXPECT_EQ(status.at("provider").at("name"), "sandbox");
  const json& plugin = status.at("plugins").at(0);
  EXPECT_EQ(plugin.at("sha256").get<std::string>().size(), 64u);
  EXPECT_TRUE(plugin.contains("abi"));
  const std::string browser = see("/statusz", "text/html,application/xhtml+xml,*/*;q=0.8");
  EXPECT_TRUE(contains(browser, plugin.at("sha256").get<std::string>())) << "as text";
  EXPECT_EQ(ask("/statusz").status, 403);
  EXPECT_EQ(ask("/configz", nobody()).status, 403);
  EXPECT_TRUE(contains(ask("/readyz?verbose").body, "\n[i]deletion-brake: "));
}

}  // namespace
}  // namespace ccm::e2e

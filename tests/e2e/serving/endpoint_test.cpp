// The endpoint of the real manager: who gets what, and what becomes of it when the API server does
// not answer as it should.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"
#include "test_certificates.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace ccm::e2e {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using nlohmann::json;
using support::eventually;
using support::patience;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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
  EXPECT_TRUE(has(refused.body, "system:serviceaccount:default:nobody")) << refused.body;
  const auto granted = ask("/metrics", scraper());
  EXPECT_EQ(granted.status, 200) << granted.body;
  EXPECT_EQ(granted.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(ask("/metrics/slis", scraper()).status, 200);
  EXPECT_EQ(ask("/none", nobody()).status, 403);
  for (const std::string& secret : {scraper(), nobody()}) {
    EXPECT_FALSE(has(manager_->log(), secret)) << "a token is in the log";
  }
}

TEST_F(EndpointTest, MET_5_16_17_19_26_45_UpstreamsNamesHaveValues) {
  start(reviews(), {"--controllers=service-lb-controller"});
  std::string text;
  const auto holds = [&](const std::string& line) {
    return eventually(patience(), [&] {
      text = ask("/metrics", scraper()).body;
      return has("\n" + text, "\n" + line);
    });
  };
  for (const char* line :
       {"leader_election_master_status{name=\"cloud-controller-manager\"} 1\n",
        "running_managed_controllers{manager=\"cloud-controller-manager\",name=\"cloud-node\"} 1\n",
        "running_managed_controllers{manager=\"cloud-controller-manager\",name=\"service\"} 1\n",
        "service_controller_nodesync_error_total 0\n", "process_network_receive_bytes_total ",
        "workqueue_depth{name=\"", "workqueue_adds_total{name=\"",
        "workqueue_queue_duration_seconds_bucket{name=\"",
        "rest_client_requests_total{code=\"200\"",
        "rest_client_request_duration_seconds_bucket{host=\"127.0.0.1:",
        "ccm_cache_objects{resource=\"v1/nodes\"} 0\n",
        "ccm_cache_synced{resource=\"v1/nodes\"} 1\n",
        "apiserver_delegated_authn_request_total{code=\"201\"} ", "process_resident_memory_bytes ",
        "ccm_event_loop_lag_seconds_count ", "kubernetes_build_info{"}) {
    EXPECT_TRUE(holds(line)) << line << "\n" << text;
  }
  text = ask("/metrics/slis", scraper()).body;
  EXPECT_TRUE(has("\n" + text, "\nprocess_start_time_seconds ")) << text;
}

// Upstream's names of these two break the tool's rule for counters.
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
                 "-e ^authenticated_user_requests -e ^authentication_attempts >" + found.string())
                    .c_str());
    EXPECT_EQ(support::read_file(found), "") << page;
  }
}

TEST_F(EndpointTest, API_124_ReviewsThatFailOpenNothingAndPass) {
  start(reviews_through_proxy());
  ProxyFault fault;
  fault.target = "tokenreviews";
  fault.status = 500;
  proxy_->add(fault);
  EXPECT_EQ(ask("/metrics", scraper()).status, 401);
  proxy_->clear();
  EXPECT_EQ(ask("/metrics", scraper()).status, 200) << "a failure was remembered";

  fault.target = "subjectaccessreviews";
  proxy_->add(fault);
  EXPECT_EQ(ask("/metrics/slis", scraper()).status, 500);
  proxy_->clear();
  EXPECT_EQ(ask("/metrics/slis", scraper()).status, 200) << "a failure was remembered";
}

TEST_F(EndpointTest, ASlowReviewHoldsUpNobodyElse) {
  start(reviews_through_proxy());
  ProxyFault fault;
  fault.target = "tokenreviews";
  fault.delay = std::chrono::seconds(13);  // above what a review may take
  proxy_->add(fault);
  const auto begin = std::chrono::steady_clock::now();
  std::atomic<int> slow = 0;
  std::thread scrape([&] { slow = ask("/metrics", scraper()).status; });
  while (slow == 0 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(3)) {
    const auto asked = std::chrono::steady_clock::now();
    EXPECT_EQ(ask("/livez").status, 200);
    EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(2));
  }
  scrape.join();
  EXPECT_EQ(slow, 401);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

// The Go managers' own role does not have it (DO-307), so that is no reason to end.
TEST_F(EndpointTest, HOST_64_AForbiddenConfigMapIsToldOnceAndTheRestGoesOn) {
  const std::string kubeconfig = reviews_through_proxy();
  ProxyFault fault;
  fault.target = "extension-apiserver-authentication";
  fault.status = 403;
  proxy_->add(fault);
  start(kubeconfig);
  ASSERT_TRUE(logs("until a role allows reading the cluster's authentication settings"));
  EXPECT_TRUE(has(manager_->log(), "extension-apiserver-authentication-reader"));
  EXPECT_EQ(ask("/metrics", scraper()).status, 200) << "tokens work";
  EXPECT_TRUE(manager_->running()) << manager_->log();
}

TEST_F(EndpointTest, HOST_64_AConfigMapThatCannotBeReadEndsTheProcessUnlessTolerated) {
  const std::string kubeconfig = reviews_through_proxy();
  ProxyFault fault;
  fault.target = "extension-apiserver-authentication";
  fault.status = 400;
  proxy_->add(fault);
  start(kubeconfig);
  const auto ended = manager_->wait(patience());
  ASSERT_TRUE(ended.has_value()) << manager_->log();
  EXPECT_EQ(ended->code, 1);
  EXPECT_TRUE(has(manager_->log(), "extension-apiserver-authentication-reader"));

  start(kubeconfig, {"--authentication-tolerate-lookup-failure"});
  ASSERT_TRUE(eventually(patience(), [this] {
    return has(manager_->log(), "going on without the cluster's authentication settings");
  })) << manager_->log();
  EXPECT_EQ(ask("/metrics", scraper()).status, 200);
}

TEST_F(EndpointTest, HOST_64_AnAbsentConfigMapNeedsNoTolerance) {
  const std::string kubeconfig = reviews_through_proxy();
  ProxyFault fault;
  fault.target = "extension-apiserver-authentication";
  fault.status = 404;
  proxy_->add(fault);
  for (const char* tolerate : {"false", "true"}) {
    start(kubeconfig, {std::string("--authentication-tolerate-lookup-failure=") + tolerate});
    ASSERT_TRUE(logs("the cluster has no authentication settings")) << manager_->log();
    EXPECT_EQ(ask("/metrics", scraper()).status, 200) << tolerate;
    EXPECT_EQ(ask("/metrics", nobody()).status, 403) << tolerate;
    EXPECT_TRUE(manager_->running()) << manager_->log();
    EXPECT_FALSE(has(manager_->log(), "going on without")) << "it is no failure";
    manager_->stop();
  }
}

TEST_F(EndpointTest, HOST_63_SkippedLookUpsAskNobody) {
  const std::string kubeconfig = reviews_through_proxy();
  ProxyFault fault;
  fault.target = "extension-apiserver-authentication";
  fault.status = 403;
  proxy_->add(fault);
  start(kubeconfig, {"--authentication-skip-lookup"});
  ASSERT_TRUE(manager_->running());
  EXPECT_EQ(ask("/metrics", scraper()).status, 200);
  EXPECT_FALSE(has(manager_->log(), "extension-apiserver-authentication"));
}

// A Pod with automountServiceAccountToken: false and a kubeconfig of its own has the variables of
// every Pod, and no account.
TEST_F(EndpointTest, HOST_62_69_91_APodWithoutAServiceAccountsTokenHasNobodyToAsk) {
  environment_ = {{"KUBERNETES_SERVICE_HOST", "127.0.0.1"}, {"KUBERNETES_SERVICE_PORT", "1"}};
  start("");
  ASSERT_TRUE(manager_->running()) << manager_->log();
  EXPECT_EQ(ask("/healthz").status, 200);
  EXPECT_EQ(ask("/metrics", scraper()).status, 403) << "its token is ignored";
  const std::string log = manager_->log();
  for (const char* what : {"delegated authentication", "delegated authorization"}) {
    EXPECT_TRUE(has(log, std::string("for=\"") + what)) << log;
  }
  EXPECT_TRUE(has(log, "does the pod mount a service account token?")) << log;
}

TEST_F(EndpointTest, API_125_AnAbsentConfigMapIsWaitedFor) {
  if (real()) GTEST_SKIP() << "the real server makes its ConfigMap by itself";
  start(reviews());
  ASSERT_TRUE(eventually(patience(), [this] {
    return has(manager_->log(), "the cluster has no authentication settings");
  })) << manager_->log();
  const test::Certificate authority = test::make_authority("cluster");
  test::CertificateRequest request;
  request.common_name = "carol";
  const test::Certificate carol = test::issue(authority, request);
  const auto name_in_answer = [&] {
    return ask_as(carol.certificate_pem, carol.key_pem, "/metrics").body;
  };
  EXPECT_TRUE(has(name_in_answer(), "system:anonymous")) << "nobody vouches for certificates yet";
  ASSERT_TRUE(api_.create("/api/v1/namespaces/kube-system/configmaps",
                          {{"apiVersion", "v1"},
                           {"kind", "ConfigMap"},
                           {"metadata", {{"name", "extension-apiserver-authentication"}}},
                           {"data", {{"client-ca-file", authority.certificate_pem}}}})
                  .ok());
  EXPECT_TRUE(eventually(patience(), [&] { return has(name_in_answer(), "\\\"carol\\\""); }))
      << manager_->log();
  // Another authority takes its place.
  const json data = {{"client-ca-file", test::make_authority("other").certificate_pem}};
  ASSERT_TRUE(api_.patch("/api/v1/namespaces/kube-system/configmaps/extension-apiserver-"
                         "authentication",
                         support::kMergePatch, {{"data", data}})
                  .ok());
  EXPECT_TRUE(eventually(patience(), [&] { return has(name_in_answer(), "\"Unauthorized\""); }))
      << manager_->log();
}

TEST_F(EndpointTest, HOST_66_TheClustersClientCertificatesCount) {
  if (!real()) GTEST_SKIP() << "the sandbox has no client certificates";
  start(reviews());
  const support::Credentials admin = support::read_kubeconfig(server_.kubeconfig());
  EXPECT_TRUE(eventually(patience(), [&] {
    return ask_as(admin.client_certificate, admin.client_key, "/metrics").status == 200;
  })) << "system:masters pass without a review";
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
  start(reviews());
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
  EXPECT_TRUE(has(see("/flagz", "*/*"), "\ncloud-provider=sandbox\n"));
  const std::string text = see("/statusz", "*/*");
  for (const char* part :
       {"\nStarted: ", "\nUp: 0 hr 00 min ", "\nBinary version: v", "/metrics/slis", "leading=true",
        "Provider: sandbox (ready)", "Deletion brake, nodes: ", "\n  cloud-node-controller: ",
        "queue.ready=0", "\n  v1/nodes: "}) {
    EXPECT_TRUE(has(text, part)) << part << text;
  }
  const json status = json::parse(see("/statusz", "application/json"));
  EXPECT_EQ(status.at("kind"), "Statusz");
  EXPECT_EQ(status.at("leaderElection").at("leading"), true);
  EXPECT_EQ(status.at("provider").at("name"), "sandbox");
  const json& plugin = status.at("plugins").at(0);
  EXPECT_EQ(plugin.at("sha256").get<std::string>().size(), 64u);
  EXPECT_TRUE(plugin.contains("abi"));
  const std::string html = see("/statusz", "text/html,application/xhtml+xml,*/*;q=0.8");
  EXPECT_EQ(html.substr(0, 15), "<!DOCTYPE html>");
  EXPECT_TRUE(has(html, "<h2>Objects that wait</h2>"));
  EXPECT_TRUE(has(html, plugin.at("sha256").get<std::string>()));
  for (const char* foreign : {"<script", "http://", "https://", "src="}) {
    EXPECT_FALSE(has(html, foreign)) << foreign;
  }
  EXPECT_EQ(ask("/statusz").status, 403);
  EXPECT_EQ(ask("/configz", nobody()).status, 403);
  EXPECT_TRUE(has(ask("/readyz?verbose").body, "\n[i]deletion-brake: "));
}

TEST_F(EndpointTest, AThousandScrapesByEightClientsAreAllAnswered) {
  start(reviews());
  ASSERT_EQ(ask("/metrics", scraper()).status, 200);
  constexpr int kThreads = 8;
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000 / kThreads; ++j) {
        if (ask("/metrics", scraper()).status == 200) ++good;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_EQ(good, 1000);
  EXPECT_EQ(ask("/healthz").body, "ok");
}

// Many clients of one thread, all connected at once; each asks once and reads to the end.
struct Crowd {
  tcp::endpoint server;
  std::string request;
  asio::io_context loop{1};
  asio::ssl::context tls{asio::ssl::context::tls_client};  // believes any certificate
  int whole = 0;                                           // 200, with all that Content-Length says
  int closed = 0;  // no answer, or less than that: a client sees that it is cut
  std::string wrong;

  static asio::awaitable<void> ask(Crowd& crowd) {
    std::string answer;
    try {
      asio::ssl::stream<tcp::socket> stream(crowd.loop, crowd.tls);
      co_await stream.next_layer().async_connect(crowd.server, asio::use_awaitable);
      co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
      co_await asio::async_write(stream, asio::buffer(crowd.request), asio::use_awaitable);
      // Ends with an error, as the connection does.
      co_await asio::async_read(stream, asio::dynamic_buffer(answer),
                                asio::as_tuple(asio::use_awaitable));
    } catch (const boost::system::system_error&) {
      answer.clear();
    }
    crowd.judge(answer);
  }
  void judge(const std::string& answer) {
    const auto head = answer.find("\r\n\r\n");
    if (head == std::string::npos) {
      ++closed;
      return;
    }
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    const auto place = answer.find(kLength);
    const bool good = answer.starts_with("HTTP/1.1 200 OK\r\n") && place < head;
    const std::size_t length =
        good ? std::strtoull(answer.c_str() + place + kLength.size(), nullptr, 10) : 0;
    const std::size_t came = answer.size() - head - 4;
    if (good && came < length) {
      ++closed;
    } else if (good && came == length && answer.back() == '\n' &&
               has(answer, "\nleader_election_master_status{")) {
      ++whole;
    } else {
      wrong = answer.substr(0, 2000);
    }
  }
};

// A client that was allowed nothing yet is a stranger: beyond 128 of them the server closes the one
// that has been silent for longest.
TEST_F(EndpointTest, AThousandScrapesAtOnceDoNoHarm) {
  constexpr int kClients = 1000;
  constexpr int kMostStrangers = 128;
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, std::min<rlim_t>(files.rlim_max, 4096));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  start(reviews());
  ASSERT_EQ(ask("/metrics", scraper()).status, 200);
  const auto lease = [this] {
    return api_
        .get(
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
            "cloud-controller-manager")
        .body.at("spec");
  };
  const json before = lease();

  Crowd crowd;
  crowd.server = {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port())};
  crowd.request =
      "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " +
      scraper() + "\r\n\r\n";
  for (int i = 0; i < kClients; ++i) {
    asio::co_spawn(crowd.loop, Crowd::ask(crowd), asio::detached);
  }
  const auto begin = std::chrono::steady_clock::now();
  crowd.loop.run_for(patience());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(took.count()));
  RecordProperty("answered", crowd.whole);
  EXPECT_EQ(crowd.wrong, "");
  EXPECT_EQ(crowd.whole + crowd.closed, kClients) << "the others still wait";
  EXPECT_GE(crowd.whole, kMostStrangers) << "nobody came after the last of them";

  ASSERT_TRUE(manager_->running()) << manager_->log();
  const auto next = ask("/metrics", scraper());
  EXPECT_EQ(next.status, 200);
  EXPECT_TRUE(
      has(next.body, "\nleader_election_master_status{name=\"cloud-controller-manager\"} 1\n"));
  json after;
  EXPECT_TRUE(eventually(patience(), [&] {
    after = lease();
    return after.at("renewTime") != before.at("renewTime");
  })) << "the Lease is no longer renewed";
  for (const char* kept : {"holderIdentity", "acquireTime", "leaseTransitions"}) {
    EXPECT_EQ(after.at(kept), before.at(kept)) << kept;
  }
}

}  // namespace
}  // namespace ccm::e2e

// Metrics as text, flags, verbosity, and what keeps slow clients from starving others.
#include "serving/pages.hpp"

#include "base/log.hpp"
#include "server_fixture.hpp"
#include "serving/health.hpp"
#include "serving/metrics.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <chrono>
#include <deque>
#include <thread>
#include <vector>

namespace ccm::serving {
namespace {

using test::TlsClient;

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(MetricsPage, MET_1_JoinsItsSourcesInOrder) {
  prometheus::Registry registry;
  prometheus::BuildCounter().Name("b_total").Help("Bees.").Register(registry).Add({}).Increment(2);
  SampledMetrics sampled;
  double value = 1;
  sampled.gauge_of("a", "An a.", [&value] { return value; });
  sampled.gauge("none", "Nothing.", [] { return std::vector<Sample>(); });
  MetricsPage page({&registry, &sampled});
  const Answer answer = page.show();
  EXPECT_EQ(answer.content_type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(answer.text(),
            "# HELP a An a.\n# TYPE a gauge\na 1\n"
            "# HELP b_total Bees.\n# TYPE b_total counter\nb_total 2\n");
  value = 3;
  EXPECT_EQ(page.show().shared, answer.shared) << "a crowd gets one text";
}

TEST(MetricsPage, ANameOfTwoSourcesIsTheFirstOnes) {
  prometheus::Registry registry;
  prometheus::BuildGauge().Name("a").Help("A plugin's.").Register(registry).Add({}).Set(2);
  SampledMetrics sampled;
  sampled.gauge_of("a", "The host's.", [] { return 1; });
  EXPECT_TRUE(sampled.has("a"));
  EXPECT_FALSE(sampled.has("a_total"));
  EXPECT_EQ(MetricsPage({&sampled, &registry}).show().text(),
            "# HELP a The host's.\n# TYPE a gauge\na 1\n");
}

TEST(MetricsPage, MET_46_MET_49_CountsWhatItHasShown) {
  SampledMetrics sampled;
  bool there = true;
  sampled.gauge_of("a", "An a.", [] { return 1; });
  sampled.gauge_of("workqueue_depth", "A depth.", [] { return 1; });
  sampled.gauge("sometimes", "A family that can go.",
                [&there] { return there ? std::vector<Sample>{{}} : std::vector<Sample>(); });
  MetricsPage page({&sampled}, true);
  for (int i = 0; i < 2; ++i, there = false) {
    const std::string text = page.show().text();
    EXPECT_TRUE(has_line(
        text, R"(registered_metrics_total{deprecated_version="",stability_level="ALPHA"} 2)"))
        << text;
    EXPECT_TRUE(has_line(
        text, R"(registered_metrics_total{deprecated_version="",stability_level="BETA"} 2)"))
        << text;
    EXPECT_EQ(text.find("sometimes 0") != std::string::npos, there);
  }
  EXPECT_EQ(MetricsPage({&sampled}).show().text().find("registered"), std::string::npos);
}

TEST(MetricsPage, NothingIsKeptForTheNextOne) {
  SampledMetrics sampled;
  double value = 1;
  sampled.gauge_of("a", "An a.", [&value] { return value; });
  MetricsPage page({&sampled});
  EXPECT_TRUE(has_line(page.show().text(), "a 1"));
  value = 2;
  EXPECT_TRUE(has_line(page.show().text(), "a 2"));
}

TEST(ProcessMetrics, MET_46_AreThisProcess) {
  SampledMetrics sampled;
  add_process_metrics(&sampled);
  add_build_info(&sampled);
  std::map<std::string, double> values;
  for (const auto& family : sampled.Collect()) {
    const auto& series = family.metric.at(0);
    values[family.name] = series.gauge.value + series.counter.value;
  }
  EXPECT_GT(values["process_cpu_seconds_total"], 0);
  EXPECT_GT(values["process_resident_memory_bytes"], 1e6);
  EXPECT_GT(values["process_virtual_memory_bytes"], values["process_resident_memory_bytes"]);
  EXPECT_GE(values["process_open_fds"], 3);
  EXPECT_GE(values["process_max_fds"], values["process_open_fds"]);
  EXPECT_EQ(values["kubernetes_build_info"], 1);
  const double now = static_cast<double>(std::time(nullptr));
  EXPECT_GT(values["process_start_time_seconds"], now - 3600);
  EXPECT_LE(values["process_start_time_seconds"], now + 2);
}

// Bytes sent over loopback are received in the same namespace.
TEST(ProcessMetrics, MET_46_TheNetworksBytesAreCounted) {
  SampledMetrics sampled;
  add_process_metrics(&sampled);
  const auto bytes = [&sampled](const std::string& name) {
    for (const auto& family : sampled.Collect()) {
      if (family.name == name) return family.metric.at(0).counter.value;
    }
    ADD_FAILURE() << name << " is missing";
    return 0.0;
  };
  const double received = bytes("process_network_receive_bytes_total");
  const double sent = bytes("process_network_transmit_bytes_total");
  namespace asio = boost::asio;
  asio::io_context loop;
  asio::ip::tcp::acceptor acceptor(loop, {asio::ip::address_v4::loopback(), 0});
  asio::ip::tcp::socket client(loop);
  client.connect(acceptor.local_endpoint());
  asio::ip::tcp::socket server = acceptor.accept();
  std::string text(20'000, 'x');
  for (int i = 0; i < 10; ++i) {
    asio::write(client, asio::buffer(text));
    asio::read(server, asio::buffer(text));
  }
  EXPECT_GE(bytes("process_network_receive_bytes_total"), received + 200'000);
  EXPECT_GE(bytes("process_network_transmit_bytes_total"), sent + 200'000);
}

TEST(ClientMetrics, MET_26_27_28_CountRequestsByHost) {
  prometheus::Registry registry;
  const auto observer = client_metrics(registry, "https://10.0.0.1:6443/prefix");
  kube::CallRecord call;
  call.method = "GET";
  call.http_status = 200;
  call.duration = std::chrono::milliseconds(50);
  observer(call);
  observer(call);
  call.method = "PATCH";
  call.http_status = 0;
  observer(call);
  const std::string text = MetricsPage({&registry}).show().text();
  for (
      const char* line :
      {R"(rest_client_requests_total{code="200",host="10.0.0.1:6443",method="GET"} 2)",
       R"(rest_client_requests_total{code="<error>",host="10.0.0.1:6443",method="PATCH"} 1)",
       R"(rest_client_request_duration_seconds_bucket{host="10.0.0.1:6443",verb="GET",le="0.025"} 0)",
       R"(rest_client_request_duration_seconds_bucket{host="10.0.0.1:6443",verb="GET",le="0.1"} 2)",
       R"(rest_client_rate_limiter_duration_seconds_count{host="10.0.0.1:6443",verb="GET"} 2)"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
}

TEST(ClientMetrics, MET_29_30_CountBytesAndRetries) {
  prometheus::Registry registry;
  const auto observer = client_metrics(registry, "https://10.0.0.1:6443");
  kube::CallRecord call;
  call.method = "PATCH";
  call.http_status = 503;
  call.request_bytes = 300;
  call.response_bytes = 60;
  observer(call);
  call.http_status = 200;
  call.response_bytes = 5000;
  call.retry = true;
  observer(call);
  call = {};
  call.method = "GET";
  call.http_status = 200;
  call.stream = true;
  observer(call);
  const std::string text = MetricsPage({&registry}).show().text();
  for (
      const char* line :
      {R"(rest_client_request_size_bytes_bucket{host="10.0.0.1:6443",verb="PATCH",le="256"} 0)",
       R"(rest_client_request_size_bytes_bucket{host="10.0.0.1:6443",verb="PATCH",le="512"} 2)",
       R"(rest_client_response_size_bytes_bucket{host="10.0.0.1:6443",verb="PATCH",le="64"} 1)",
       R"(rest_client_response_size_bytes_bucket{host="10.0.0.1:6443",verb="PATCH",le="16384"} 2)",
       R"(rest_client_response_size_bytes_bucket{host="10.0.0.1:6443",verb="PATCH",le="16777216"} 2)",
       R"(rest_client_response_size_bytes_count{host="10.0.0.1:6443",verb="GET"} 0)",
       R"(rest_client_request_retries_total{code="200",host="10.0.0.1:6443",verb="PATCH"} 1)"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
  EXPECT_FALSE(text.find(R"(rest_client_request_retries_total{code="503")") != std::string::npos)
      << "the first attempt is none";
}

TEST(HealthMetrics, MET_45_HOST_99_CountAndForget) {
  HealthRegistry registry;
  registry.set("a", [] { return Status(); });
  registry.set("b", [] { return Status(Code::internal, "no"); });
  EXPECT_EQ(registry.run().size(), 2u);
  EXPECT_EQ(registry.run({"b"}).size(), 2u);
  const std::string text = MetricsPage({&registry}).show().text();
  for (const char* line :
       {R"(kubernetes_healthcheck{name="a",type="healthz"} 1)",
        R"(kubernetes_healthcheck{name="b",type="healthz"} 0)",
        R"(kubernetes_healthchecks_total{name="a",status="success",type="healthz"} 2)",
        R"(kubernetes_healthchecks_total{name="b",status="error",type="healthz"} 1)"}) {
    EXPECT_TRUE(has_line(text, line)) << line << "\n" << text;
  }
  registry.reset_counts();
  EXPECT_EQ(MetricsPage({&registry}).show().text(), "");
}

TEST(VerbosityPage, HOST_98_SetsTheLevel) {
  log::redirect([](std::string_view) {});
  const int before = log::verbosity();
  Request request;
  request.method = "PUT";
  request.body = "4\n";
  EXPECT_EQ(verbosity_page(request).body, "successfully set klog.logging.verbosity to 4");
  EXPECT_EQ(log::verbosity(), 4);
  for (const char* bad : {"", "x", "4x", "-1", "99999999999999999999"}) {
    request.body = bad;
    EXPECT_EQ(verbosity_page(request).status, 400u) << bad;
  }
  request.method = "GET";
  EXPECT_EQ(verbosity_page(request).status, 406u);
  EXPECT_EQ(log::verbosity(), 4);
  log::set_verbosity(before);
  log::redirect({});
}

TEST(FlagsPage, TextOrJson) {
  Request request;
  request.method = "GET";
  const FlagValues flags{{"a", "1"}, {"b", "x=y"}};
  const std::string text = flags_page(request, flags).body;
  EXPECT_TRUE(text.starts_with("\ncloud-controller-manager flags\nWarning: ")) << text;
  EXPECT_TRUE(has_line(text, "a=1") && has_line(text, "b=x=y")) << text;
  request.headers = {{"Accept", "application/json"}};
  const Answer json = flags_page(request, flags);
  EXPECT_EQ(json.content_type, "application/json");
  EXPECT_NE(json.body.find("\"b\": \"x=y\""), std::string::npos) << json.body;
}

class SlowClients : public ServerTest {};

// A request without its last line, `size` in KiB.
std::string unfinished(std::size_t size) {
  std::string head = "GET /healthz HTTP/1.1\r\nHost: x\r\n";
  for (std::size_t i = 0; i < size; ++i) head += "X-Large: " + std::string(1013, 'x') + "\r\n";
  return head;
}

TEST_F(SlowClients, LargeHeadersAreTakenOnlyWhileThereIsRoom) {
  options_.max_header_bytes = 1u << 20;
  options_.max_unread_bytes = 256u << 10;
  ASSERT_TRUE(start().ok());
  TlsClient holder(port());
  const std::string held = unfinished(240);
  holder.send(held);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (unread_bytes() < held.size() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ASSERT_EQ(unread_bytes(), held.size());
  TlsClient modest(port());
  EXPECT_EQ(body(modest.ask(unfinished(10) + "\r\n")), "ok");
  TlsClient large(port());
  EXPECT_EQ(status_line(large.ask(unfinished(100) + "\r\n")),
            "HTTP/1.1 431 Request Header Fields Too Large");
  holder.send("\r\n");
  EXPECT_EQ(body(holder.read_answer()), "ok");
  TlsClient again(port());
  EXPECT_EQ(body(again.ask(unfinished(100) + "\r\n")), "ok");
}

TEST_F(SlowClients, ACrowdOfThemStarvesNobody) {
  options_.max_connections = 16;
  ASSERT_TRUE(start().ok());
  std::vector<std::unique_ptr<TlsClient>> crowd;
  for (int i = 0; i < 100; ++i) {
    crowd.push_back(std::make_unique<TlsClient>(port()));
    crowd.back()->send("GET /healthz HT");
    if (i % 20 != 19) continue;
    TlsClient probe(port());
    EXPECT_EQ(body(probe.ask(get("/healthz"))), "ok");
    EXPECT_LE(connections(), 16u);
  }
}

TEST_F(SlowClients, TenThousandThatSayNothing) {
  options_.strangers_share = 1;  // the test must not wait
  ASSERT_TRUE(start().ok());
  test::TlsClientOptions silent;
  silent.tls = false;
  std::deque<std::unique_ptr<TlsClient>> crowd;
  for (int i = 0; i < 10'000; ++i) {
    crowd.push_back(std::make_unique<TlsClient>(port(), silent));
    if (crowd.size() > 400) crowd.pop_front();  // more than are served, fewer than may be open here
    if (i % 1'000 != 999) continue;
    TlsClient probe(port());
    EXPECT_EQ(body(probe.ask(get("/healthz"))), "ok") << "behind " << i;
    EXPECT_LE(connections(), options_.max_connections);
  }
}

}  // namespace
}  // namespace ccm::serving

#include "kube/client.hpp"

#include "base/log.hpp"
#include "kube/file_text.hpp"
#include "kube/transport_counts.hpp"
#include "net/http_client.hpp"
#include "net/write_gate.hpp"
#include "scripted_api.hpp"

#include <gmock/gmock.h>

namespace ccm::kube {
namespace {

using test::ServerReply;
using test::ServerRequest;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ClientTest : public KubeTest {
 protected:
  ~ClientTest() override { api_.release(); }
  void TearDown() override { EXPECT_THAT(api_.complaints(), IsEmpty()); }

  Client client() { return client_for(api_.server()); }
  ServerRequest request(std::size_t index) { return api_.server().requests().at(index); }
  std::size_t requests() { return api_.server().requests().size(); }
  void turn() {
    loop_.restart();
    loop_.run_for(std::chrono::milliseconds(1));
  }
  static ServerReply with_retry_after(ServerReply reply, const std::string& value) {
    reply.headers.emplace_back("Retry-After", value);
    return reply;
  }

  ScriptedApi api_;
  Resource nodes_ = resources::nodes();
  Resource leases_ = resources::leases();
};

TEST_F(ClientTest, API_1_5_106_RequestsCarryPathAndHeaders) {
  api_.expect({"/api/v1/nodes/n1"}, json_reply(node_json("n1", 5)));
  const auto body = run(client().get(nodes_, "", "n1", "0"));
  ASSERT_TRUE(body.ok()) << body.status().message();
  EXPECT_EQ(*body, node_json("n1", 5));
  EXPECT_EQ(request(0).target, "/api/v1/nodes/n1?resourceVersion=0");
  EXPECT_EQ(request(0).header("Accept"), "application/json");
  EXPECT_EQ(request(0).header("User-Agent"), "ccm-test");
  EXPECT_EQ(request(0).header("Authorization"), "");
}

TEST_F(ClientTest, MET_50_TransportsAreCounted) {
  const TransportCounts& counts = TransportCounts::of_process();
  const auto present = counts.present.load();
  const auto made = counts.made.load();
  const auto shared = counts.shared.load();
  {
    const Client first = client();
    const Client copy = first;
    const Client derived = first.derive(ClientOptions());
    EXPECT_EQ(counts.present, present + 1);
  }
  EXPECT_EQ(counts.present, present) << "the last client takes the transport along";
  EXPECT_EQ(counts.made, made + 1);
  EXPECT_EQ(counts.shared, shared + 1) << "a copy is the same client";
}

TEST_F(ClientTest, API_2_ServerPrefixPrecedesThePath) {
  api_.expect({"/prefix/api/v1/nodes/n1"}, json_reply("{}"));
  ClientConfig config = config_for(api_.server());
  config.server += "/prefix";
  Client prefixed(loop_.get_executor(), config, ClientOptions());
  EXPECT_TRUE(run(prefixed.get(nodes_, "", "n1")).ok());
}

TEST_F(ClientTest, API_47_WritesUseMethodMediaTypeAndOptions) {
  for (int i = 0; i < 8; ++i) api_.expect({"/"}, json_reply("{}"));
  Client client = this->client();
  WriteOptions options;
  options.field_manager = "ccm node";
  const std::string body = R"({"a":1})";
  ASSERT_TRUE(run(client.create(leases_, "ns", body, options)).ok());
  ASSERT_TRUE(run(client.update(leases_, "ns", "l", body)).ok());
  ASSERT_TRUE(run(client.patch(nodes_, "", "n", PatchType::json, "[]")).ok());
  ASSERT_TRUE(run(client.patch(nodes_, "", "n", PatchType::merge, body)).ok());
  options.subresource = "status";
  ASSERT_TRUE(run(client.patch(nodes_, "", "n", PatchType::strategic_merge, body, options)).ok());
  options.subresource.clear();
  options.force = true;
  options.dry_run = true;
  ASSERT_TRUE(run(client.patch(nodes_, "", "n", PatchType::apply, body, options)).ok());
  DeleteOptions preconditions;
  preconditions.uid = "u-1";
  preconditions.resource_version = "7";
  ASSERT_TRUE(run(client.remove(nodes_, "", "n", preconditions)).ok());
  ASSERT_TRUE(
      run(client.create_sub(resources::service_accounts(), "ns", "sa", "token", body)).ok());
  std::vector<std::string> seen;
  for (const ServerRequest& r : api_.server().requests()) {
    seen.push_back(r.method + " " + r.target + " " + r.header("Content-Type"));
  }
  EXPECT_THAT(
      seen,
      ElementsAre("POST /apis/coordination.k8s.io/v1/namespaces/ns/leases?fieldManager=ccm%20node "
                  "application/json",
                  "PUT /apis/coordination.k8s.io/v1/namespaces/ns/leases/l application/json",
                  "PATCH /api/v1/nodes/n application/json-patch+json",
                  "PATCH /api/v1/nodes/n application/merge-patch+json",
                  "PATCH /api/v1/nodes/n/status?fieldManager=ccm%20node "
                  "application/strategic-merge-patch+json",
                  "PATCH /api/v1/nodes/n?fieldManager=ccm%20node&force=true&dryRun=All "
                  "application/apply-patch+yaml",
                  "DELETE /api/v1/nodes/n application/json",
                  "POST /api/v1/namespaces/ns/serviceaccounts/sa/token application/json"));
  EXPECT_EQ(request(0).body, body);
  EXPECT_EQ(
      request(6).body,
      R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u-1","resourceVersion":"7"}})");
}

TEST_F(ClientTest, API_7_APatchMayAskForTheMetadataOnly) {
  for (int i = 0; i < 2; ++i) api_.expect({"/"}, json_reply("{}"));
  WriteOptions options;
  Client client = this->client();
  ASSERT_TRUE(run(client.patch(nodes_, "", "n", PatchType::merge, "{}", options)).ok());
  options.answer_metadata = true;
  ASSERT_TRUE(run(client.patch(nodes_, "", "n", PatchType::merge, "{}", options)).ok());
  EXPECT_EQ(request(0).header("Accept"), "application/json");
  EXPECT_EQ(request(1).header("Accept"),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

TEST_F(ClientTest, API_16_18_132_ListParameters) {
  for (int i = 0; i < 2; ++i) api_.expect({"/"}, json_reply("{}"));
  ListOptions options;
  options.label_selector = "a=b,c!=d";
  options.limit = 10;
  options.resource_version = "5";
  options.resource_version_match = "NotOlderThan";
  ASSERT_TRUE(run(client().list(leases_, "ns", options)).ok());
  options.continue_token = "t";
  ASSERT_TRUE(run(client().list(leases_, "", options)).ok());
  EXPECT_EQ(
      request(0).target,
      "/apis/coordination.k8s.io/v1/namespaces/ns/leases?labelSelector=a%3Db%2Cc%21%3Dd&limit=10&"
      "resourceVersion=5&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(
      request(1).target,
      "/apis/coordination.k8s.io/v1/leases?labelSelector=a%3Db%2Cc%21%3Dd&limit=10&continue=t");
}

struct Failure {
  unsigned http;
  const char* reason;
  Code code;
  ErrorClass error_class;
};

TEST(ClientStatus, API_12_45_58_ReasonFirstThenHttpCode) {
  for (const Failure& f : {
           Failure{409, "Conflict", Code::aborted, ErrorClass::conflict},
           Failure{409, "AlreadyExists", Code::already_exists, ErrorClass::conflict},
           Failure{404, "NotFound", Code::not_found, ErrorClass::not_found},
           Failure{410, "Expired", Code::out_of_range, ErrorClass::none},
           Failure{410, "Gone", Code::out_of_range, ErrorClass::none},
           Failure{422, "Invalid", Code::invalid_argument, ErrorClass::invalid_spec},
           Failure{400, "BadRequest", Code::invalid_argument, ErrorClass::invalid_spec},
           Failure{413, "RequestEntityTooLarge", Code::invalid_argument, ErrorClass::invalid_spec},
           Failure{401, "Unauthorized", Code::unauthenticated, ErrorClass::auth},
           Failure{403, "Forbidden", Code::permission_denied, ErrorClass::auth},
           Failure{429, "TooManyRequests", Code::resource_exhausted, ErrorClass::throttled},
           Failure{500, "InternalError", Code::unavailable, ErrorClass::unavailable},
           Failure{503, "ServiceUnavailable", Code::unavailable, ErrorClass::unavailable},
           Failure{504, "Timeout", Code::deadline_exceeded, ErrorClass::unavailable},
           // The reason counts, not the code that a proxy made of it.
           Failure{502, "NotFound", Code::not_found, ErrorClass::not_found},
           Failure{599, "SomethingNew", Code::unavailable, ErrorClass::unavailable},
       }) {
    const ServerReply reply = status_reply(f.http, f.reason, "the message");
    const Status status = status_of_answer(f.http, reply.body, "");
    EXPECT_EQ(status.code(), f.code) << f.reason;
    EXPECT_EQ(status.error_class(), f.error_class) << f.reason;
    EXPECT_EQ(status.reason(), f.reason);
    EXPECT_EQ(status.message(), "the message");
  }
}

TEST(ClientStatus, API_12_AnswersWithoutAStatus) {
  for (const std::string& body :
       std::vector<std::string>{"", "<html>", "{}", "[]", R"({"kind":"Node"})"}) {
    EXPECT_EQ(status_of_answer(404, body, "").code(), Code::not_found);
    EXPECT_EQ(status_of_answer(410, body, "").code(), Code::out_of_range);
    EXPECT_EQ(status_of_answer(502, body, "").code(), Code::unavailable);
    EXPECT_EQ(status_of_answer(418, body, "").code(), Code::unknown);
    EXPECT_THAT(status_of_answer(502, body, "").message(), HasSubstr("HTTP 502"));
  }
}

TEST(ClientStatus, API_75_RetryAdvice) {
  using std::chrono::seconds;
  EXPECT_EQ(status_of_answer(429, "", "7").retry_after(), seconds(7));
  EXPECT_EQ(status_of_answer(429, "", "Wed, 21 Oct 2015 07:28:00 GMT").retry_after(), seconds(0));
  EXPECT_EQ(status_of_answer(429, "", "-1").retry_after(), seconds(0));
  for (const char* endless : {"61", "86400", "99999999999999999999999"}) {
    EXPECT_EQ(status_of_answer(429, "", endless).retry_after(), seconds(60)) << endless;
  }
  const ServerReply reply = status_reply(504, "Timeout", "m", R"({"retryAfterSeconds":3})");
  EXPECT_EQ(status_of_answer(504, reply.body, "").retry_after(), seconds(3));
}

TEST(ClientStatus, API_17_TooLargeVersionCountsAsExpired) {
  const ServerReply reply =
      status_reply(504, "Timeout", "m", R"({"causes":[{"reason":"ResourceVersionTooLarge"}]})");
  EXPECT_TRUE(is_expired(status_of_answer(504, reply.body, "")));
  EXPECT_FALSE(is_expired(status_of_answer(504, status_reply(504, "Timeout").body, "")));
  EXPECT_TRUE(is_expired(status_of_object(status_reply(410, "Expired").body)));
  EXPECT_EQ(status_of_object("nonsense").code(), Code::unavailable);
}

TEST_F(ClientTest, FailureSaysWhatWasAsked) {
  api_.expect({"/"}, status_reply(404, "NotFound", "nodes \\\"n1\\\" not found"));
  const auto body = run(client().get(nodes_, "", "n1"));
  EXPECT_EQ(body.status().message(), "get v1/nodes n1: nodes \"n1\" not found");
}

TEST_F(ClientTest, API_68_AnswersWithRetryAfterAreRepeated) {
  api_.expect({"/"}, with_retry_after(status_reply(429, "TooManyRequests"), "0"));
  api_.expect({"/"}, with_retry_after(status_reply(503, "ServiceUnavailable"), "0"));
  api_.expect({"/"}, json_reply("{}"));
  EXPECT_TRUE(run(client().patch(nodes_, "", "n", PatchType::merge, "{}")).ok());
  EXPECT_EQ(requests(), 3u);
  EXPECT_EQ(request(2).body, "{}");
}

TEST_F(ClientTest, API_68_NoRetryWithoutTheHeaderOrBeyondTheLimit) {
  api_.expect({"/"}, status_reply(429, "TooManyRequests"));
  EXPECT_EQ(run(client().get(nodes_, "", "n")).status().code(), Code::resource_exhausted);
  api_.expect({"/"}, with_retry_after(status_reply(503, "ServiceUnavailable"),
                                      "Wed, 21 Oct 2015 07:28:00 GMT"));
  EXPECT_FALSE(run(client().get(nodes_, "", "n")).ok());
  EXPECT_EQ(requests(), 2u);
  for (int i = 0; i < 3; ++i)
    api_.expect({"/"}, with_retry_after(status_reply(500, "InternalError"), "0"));
  CallOptions twice;
  twice.max_retries = 2;
  EXPECT_FALSE(run(client().get(nodes_, "", "n", "", twice)).ok());
  EXPECT_EQ(requests(), 5u);
}

TEST_F(ClientTest, API_69_LostConnectionRepeatsReads) {
  ServerReply cut = json_reply("{\"a\":1}");
  cut.cut_after = 20;
  api_.expect({"/"}, cut);
  api_.expect({"/"}, json_reply("{}"));
  EXPECT_TRUE(run(client().get(nodes_, "", "n")).ok());
  EXPECT_EQ(requests(), 2u);
}

TEST_F(ClientTest, API_70_134_LostConnectionNeverRepeatsWrites) {
  Client client = this->client();
  const std::string body = "{}";
  int written = 0;
  for (const std::string& verb : std::vector<std::string>{"create", "update", "patch", "remove"}) {
    ServerReply reset;
    reset.reset = true;
    api_.expect({"/"}, reset);
    Status status;
    if (verb == "create") status = run(client.create(leases_, "ns", body)).status();
    if (verb == "update") status = run(client.update(leases_, "ns", "l", body)).status();
    if (verb == "patch")
      status = run(client.patch(nodes_, "", "n", PatchType::merge, body)).status();
    if (verb == "remove") status = run(client.remove(nodes_, "", "n")).status();
    EXPECT_EQ(status.code(), Code::unavailable) << verb;
    EXPECT_EQ(requests(), static_cast<std::size_t>(++written)) << verb;
  }
}

TEST_F(ClientTest, RefusedConnectionIsReportedAtOnce) {
  ClientConfig config;
  {
    test::TestHttpServer gone([](const ServerRequest&) { return ServerReply(); });
    config = config_for(gone);
  }
  Client nobody(loop_.get_executor(), config, ClientOptions());
  const auto body = run(nobody.get(nodes_, "", "n"));
  EXPECT_EQ(body.status().code(), Code::unavailable);
  EXPECT_EQ(body.status().reason(), "ConnectFailed");
}

TEST_F(ClientTest, API_133_EveryRequestHasATimeLimit) {
  ServerReply slow = json_reply("{}");
  slow.delay = std::chrono::seconds(30);
  api_.expect({"/"}, slow);
  CallOptions options;
  options.timeout = std::chrono::milliseconds(50);
  options.max_retries = 0;
  EXPECT_EQ(run(client().get(nodes_, "", "n", "", options)).status().code(),
            Code::deadline_exceeded);
}

TEST_F(ClientTest, API_76_RefusedTokenIsReadAgainOnce) {
  TestFolder folder;
  ClientConfig config = config_for(api_.server());
  config.token_file = folder.write("token", "old");
  Client client(loop_.get_executor(), config, ClientOptions());
  ASSERT_TRUE(client.check().ok());
  folder.write("token", "new");
  api_.expect({"/"}, status_reply(401, "Unauthorized"));
  api_.expect({"/"}, json_reply("{}"));
  EXPECT_TRUE(run(client.get(nodes_, "", "n")).ok());
  EXPECT_EQ(request(0).header("Authorization"), "Bearer old");
  EXPECT_EQ(request(1).header("Authorization"), "Bearer new");
  api_.expect({"/"}, status_reply(401, "Unauthorized"));
  EXPECT_EQ(run(client.get(nodes_, "", "n")).status().error_class(), ErrorClass::auth);
  EXPECT_EQ(requests(), 3u);  // the same token again would be pointless
}

TEST_F(ClientTest, API_85_ImpersonationHeaders) {
  api_.expect({"/"}, json_reply("{}"));
  ClientConfig config = config_for(api_.server());
  config.impersonate.user = "jane";
  config.impersonate.uid = "7";
  config.impersonate.groups = {"a", "b"};
  config.impersonate.extra = {{"example.com/scope", {"x"}}};
  Client client(loop_.get_executor(), config, ClientOptions());
  ASSERT_TRUE(run(client.get(nodes_, "", "n")).ok());
  EXPECT_EQ(request(0).header("Impersonate-User"), "jane");
  EXPECT_EQ(request(0).header("Impersonate-Uid"), "7");
  EXPECT_EQ(request(0).header("Impersonate-Extra-example.com%2Fscope"), "x");
  std::vector<std::string> groups;
  for (const auto& [name, value] : request(0).headers) {
    if (name == "Impersonate-Group") groups.push_back(value);
  }
  EXPECT_THAT(groups, ElementsAre("a", "b"));
}

TEST_F(ClientTest, API_67_RateLimitHoldsRequestsButNotWatches) {
  for (int i = 0; i < 3; ++i) api_.expect({"/"}, json_reply("{}"));
  for (int i = 0; i < 3; ++i) api_.expect_watch({}, {}, ScriptedApi::End::close);
  std::vector<std::chrono::nanoseconds> waits;
  ClientOptions options;
  options.qps = 10;
  options.burst = 1;
  options.observer = [&](const CallRecord& call) { waits.push_back(call.limiter_wait); };
  Client client(loop_.get_executor(), config_for(api_.server()), options);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(client.get(nodes_, "", "n")).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(190));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(run(client.open_watch(nodes_, "", WatchOptions())).ok());
  ASSERT_EQ(waits.size(), 6u);
  for (std::size_t i = 3; i < 6; ++i) EXPECT_LT(waits[i], std::chrono::milliseconds(5));
}

TEST_F(ClientTest, ObserverSeesEveryAttempt) {
  api_.expect({"/"}, with_retry_after(status_reply(503, "ServiceUnavailable"), "0"));
  api_.expect({"/"}, json_reply("{}"));
  std::vector<std::string> calls;
  ClientOptions options;
  options.observer = [&](const CallRecord& call) {
    calls.push_back(std::string(call.verb) + " " + std::string(call.method) + " " +
                    std::string(call.resource) + " " + std::to_string(call.http_status) +
                    (call.retry ? " again" : ""));
    EXPECT_GT(call.duration.count(), 0);
    EXPECT_EQ(call.request_bytes, 2U);
    EXPECT_EQ(call.response_bytes == 2, call.http_status == 200);
    EXPECT_FALSE(call.stream);
  };
  Client client(loop_.get_executor(), config_for(api_.server()), options);
  ASSERT_TRUE(run(client.patch(nodes_, "", "n", PatchType::merge, "{}")).ok());
  EXPECT_THAT(calls, ElementsAre("patch PATCH v1/nodes 503", "patch PATCH v1/nodes 200 again"));
}

TEST_F(ClientTest, HOST_82_DerivedClientsShareTheConnection) {
  for (int i = 0; i < 2; ++i) api_.expect({"/"}, json_reply("{}"));
  Client client = this->client();
  ClientOptions options;
  options.user_agent = "ccm-test/node-controller";
  const Client derived = client.derive(options);
  ASSERT_TRUE(run(client.get(nodes_, "", "n")).ok());
  ASSERT_TRUE(run(Client(derived).get(nodes_, "", "n")).ok());
  EXPECT_EQ(request(1).header("User-Agent"), "ccm-test/node-controller");
  EXPECT_EQ(api_.server().connections(), 1u);
}

TEST_F(ClientTest, AClientThatYieldsLetsWritesGoFirstAndReadsNot) {
  ServerReply slow = json_reply("{}");
  slow.delay = std::chrono::milliseconds(300);
  api_.expect({"/nodes/n1"}, slow);
  api_.expect({"/events"}, json_reply("{}"));
  Client client = this->client();
  ClientOptions options;
  options.qps = 0;
  options.yield_to_writes = std::chrono::seconds(10);
  Client events = client.derive(options);
  std::optional<Result<std::string>> node;
  std::optional<Result<std::string>> event;
  boost::asio::co_spawn(loop_,
                        store_result(client.patch(nodes_, "", "n1", PatchType::merge, "{}"), &node),
                        [](const std::exception_ptr&) {});
  boost::asio::co_spawn(loop_,
                        store_result(events.create(resources::events(), "default", "{}"), &event),
                        [](const std::exception_ptr&) {});
  run_until([&] { return node.has_value(); });
  EXPECT_FALSE(event.has_value());
  EXPECT_EQ(requests(), 1U);
  run_until([&] { return event.has_value(); });
  EXPECT_TRUE((*event).ok());

  api_.expect({"/nodes/n1"}, slow);  // a read holds up nothing
  api_.expect({"/events"}, json_reply("{}"));
  node.reset();
  event.reset();
  boost::asio::co_spawn(loop_, store_result(client.get(nodes_, "", "n1"), &node),
                        [](const std::exception_ptr&) {});
  while (requests() < 3U) turn();
  boost::asio::co_spawn(loop_,
                        store_result(events.create(resources::events(), "default", "{}"), &event),
                        [](const std::exception_ptr&) {});
  run_until([&] { return event.has_value(); });
  EXPECT_FALSE(node.has_value());
  run_until([&] { return node.has_value(); });
}

TEST_F(ClientTest, AClientThatYieldsDoesNotWaitForEver) {
  ServerReply slow = json_reply("{}");
  slow.delay = std::chrono::milliseconds(500);
  api_.expect({"/nodes/n1"}, slow);
  api_.expect({"/events"}, json_reply("{}"));
  Client client = this->client();
  ClientOptions options;
  options.qps = 0;
  options.yield_to_writes = std::chrono::milliseconds(20);
  Client events = client.derive(options);
  std::optional<Result<std::string>> node;
  boost::asio::co_spawn(loop_,
                        store_result(client.patch(nodes_, "", "n1", PatchType::merge, "{}"), &node),
                        [](const std::exception_ptr&) {});
  while (requests() < 1U) turn();
  EXPECT_TRUE(run(events.create(resources::events(), "default", "{}")).ok());
  EXPECT_FALSE(node.has_value());
  run_until([&] { return node.has_value(); });
}

TEST_F(ClientTest, API_107_WarningsAreLoggedOnce) {
  ServerReply warned = json_reply("{}");
  warned.headers.emplace_back("Warning", R"(299 - "v1 Thing is deprecated")");
  api_.expect({"/"}, warned);
  api_.expect({"/"}, warned);
  std::vector<std::string> lines;
  log::redirect([&](std::string_view line) { lines.emplace_back(line); });
  Client client = this->client();
  ASSERT_TRUE(run(client.get(nodes_, "", "n")).ok());
  ASSERT_TRUE(run(client.get(nodes_, "", "n")).ok());
  log::redirect({});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("v1 Thing is deprecated"));
}

TEST_F(ClientTest, RawPathsForHealthAndReviews) {
  api_.expect({"/healthz"}, [] {
    ServerReply reply;
    reply.body = "ok";
    return reply;
  }());
  EXPECT_EQ(*run(client().raw("GET", "/healthz?verbose")), "ok");
  api_.expect({"/readyz"}, [] {
    ServerReply reply;
    reply.status = 500;
    reply.body = "not ready";
    return reply;
  }());
  EXPECT_EQ(run(client().raw("GET", "/readyz")).status().code(), Code::unavailable);
}

TEST_F(ClientTest, API_25_RefusedWatchIsAStatus) {
  api_.expect({"watch=true"}, status_reply(403, "Forbidden", "no watch for you"));
  const auto stream = run(client().open_watch(nodes_, "", WatchOptions()));
  EXPECT_EQ(stream.status().code(), Code::permission_denied);
  EXPECT_THAT(stream.status().message(),
              AllOf(HasSubstr("watch v1/nodes"), HasSubstr("no watch for you")));
}

class TlsClientTest : public KubeTest {};

TEST_F(TlsClientTest, API_82_ClientCertificateAndItsRotation) {
  const test::Certificate authority = test::make_authority("authority");
  test::ServerOptions options;
  options.certificate = test::issue_for_loopback(authority);
  options.client_authority_pem = authority.certificate_pem;
  test::TestHttpServer server([](const ServerRequest&) { return json_reply("{}"); }, options);
  TestFolder folder;
  const auto write = [&](const std::string& name) {
    test::CertificateRequest request;
    request.common_name = name;
    const test::Certificate certificate = test::issue(authority, request);
    folder.write("tls.crt", certificate.certificate_pem);
    folder.write("tls.key", certificate.key_pem);
  };
  write("first");
  ClientConfig config = config_for(server);
  config.ca_data = authority.certificate_pem;
  config.client_certificate_file = folder.path() + "/tls.crt";
  config.client_key_file = folder.path() + "/tls.key";
  Client client(loop_.get_executor(), config, ClientOptions());
  ASSERT_TRUE(client.check().ok()) << client.check().message();
  ASSERT_TRUE(run(client.get(resources::nodes(), "", "n")).ok());
  write("second");
  // Files are looked at once a second at most.
  run_until([&] {
    (void)run(client.get(resources::nodes(), "", "n"));
    return server.requests().back().client_subject.find("second") != std::string::npos;
  });
  EXPECT_THAT(server.requests().front().client_subject, HasSubstr("first"));
}

TEST_F(TlsClientTest, ForeignServerIsNotTrusted) {
  test::ServerOptions options;
  options.certificate = test::issue_for_loopback(test::make_authority("theirs"));
  test::TestHttpServer server([](const ServerRequest&) { return json_reply("{}"); }, options);
  ClientConfig config = config_for(server);
  config.ca_data = test::make_authority("ours").certificate_pem;
  config.token = "s3cr3t";
  Client client(loop_.get_executor(), config, ClientOptions());
  const auto body = run(client.get(resources::nodes(), "", "n"));
  EXPECT_EQ(body.status().code(), Code::unauthenticated);
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(TlsClientTest, API_89_ExecTokenIsSentAndRenewedAfter401) {
  const test::Certificate authority = test::make_authority("authority");
  test::ServerOptions options;
  options.certificate = test::issue_for_loopback(authority);
  test::TestHttpServer server(
      [](const ServerRequest& request) {
        return request.header("Authorization") == "Bearer t2" ? json_reply("{}")
                                                              : status_reply(401, "Unauthorized");
      },
      options);
  TestFolder folder;
  ClientConfig config = config_for(server);
  config.ca_data = authority.certificate_pem;
  ExecConfig exec;
  exec.api_version = "client.authentication.k8s.io/v1";
  exec.interactive_mode = "Never";
  exec.command =
      folder.write("plugin",
                   "#!/bin/sh\necho x >>" + folder.path() + "/runs\n" +
                       "printf '{\"kind\":\"ExecCredential\",\"apiVersion\":\"%s\",\"status\":"
                       "{\"token\":\"t%s\"}}' " +
                       exec.api_version + " $(wc -l <" + folder.path() + "/runs)\n",
                   true);
  config.exec = exec;
  Client client(loop_.get_executor(), config, ClientOptions());
  const auto body = run(client.get(resources::nodes(), "", "n"));
  EXPECT_TRUE(body.ok()) << body.status().message();
  EXPECT_EQ(server.requests().size(), 2u);
}

// A manager that lost the Lease while a write waited for the rate limiter or for Retry-After sends
// nothing.
TEST_F(ClientTest, AWriteThatWaitedPassesTheGateLastOfAll) {
  bool leading = true;
  ClientOptions options;
  options.qps = 0;
  options.gate = std::make_shared<net::WriteGate>([&leading] { return leading; });
  Client fenced(loop_.get_executor(), config_for(api_.server()), options);
  api_.expect({"/n1"}, json_reply("{}"));
  EXPECT_TRUE(run(fenced.patch(nodes_, "", "n1", PatchType::merge, "{}")).ok());
  // 429: the write comes again after a second, when another leads.
  api_.expect({"/n2"}, with_retry_after(status_reply(429, "TooManyRequests"), "1"));
  boost::asio::steady_timer lost(loop_, std::chrono::milliseconds(500));
  lost.async_wait([&leading](const boost::system::error_code&) { leading = false; });
  const auto late = run(fenced.patch(nodes_, "", "n2", PatchType::merge, "{}"));
  EXPECT_EQ(late.status().code(), Code::failed_precondition);
  EXPECT_EQ(late.status().reason(), "NotLeading");
  EXPECT_EQ(requests(), 2u);
  EXPECT_FALSE(run(fenced.remove(nodes_, "", "n3")).ok());
  EXPECT_FALSE(run(fenced.create(nodes_, "", "{}")).ok());
  EXPECT_EQ(requests(), 2u);
  api_.expect({"/n1"}, json_reply("{}"));
  EXPECT_TRUE(run(fenced.get(nodes_, "", "n1")).ok()) << "reads pass";
}

}  // namespace
}  // namespace ccm::kube

// Clients of a plugin's own: which way their requests go, what is kept from the plugin, and their
// end.
#include "http_client_fixture.hpp"

#include <future>

namespace ccm::plugin {
namespace {

TEST_F(HttpClientServiceTest, ProxiesAreGivenTakenFromTheEnvironmentOrLeftOut) {
  TestHttpServer server(hello, with_certificate());
  test::TestProxy proxy({});
  const std::string address = "http://127.0.0.1:" + std::to_string(proxy.port());
  const std::string target = "127.0.0.1:" + std::to_string(server.port());
  auto wanted = options();
  wanted.ca_pem = c_str(authority_.certificate_pem);
  wanted.proxy = c_str(address);
  EXPECT_TRUE(ask(opened(wanted), server.url()).status.ok());
  EXPECT_EQ(proxy.targets(), std::vector<std::string>{target});
  ::setenv("HTTPS_PROXY", address.c_str(), 1);
  wanted.proxy = {};
  const ccm_http_client of_environment = opened(wanted);
  wanted.flags = CCM_HTTP_NO_PROXY;
  const ccm_http_client direct = opened(wanted);
  // The environment's choice does not hold for addresses of this machine.
  Answer answer = ask(of_environment, "https://cloud.invalid:" + std::to_string(server.port()));
  EXPECT_FALSE(answer.status.ok());
  EXPECT_EQ(proxy.targets().size(), 2u);
  EXPECT_TRUE(ask(direct, server.url()).status.ok());
  answer = ask(direct, "https://cloud.invalid:" + std::to_string(server.port()));
  EXPECT_EQ(answer.status.code(), Code::unavailable);
  EXPECT_EQ(proxy.targets().size(), 2u);
  ::unsetenv("HTTPS_PROXY");
}

TEST_F(HttpClientServiceTest, ALongAnswerIsRefused) {
  TestHttpServer server([](const ServerRequest& request) {
    ServerReply reply;
    reply.body = std::string(request.target == "/long" ? 101 : 100, 'x');
    return reply;
  });
  auto wanted = options();
  wanted.body_limit = 100;
  const ccm_http_client client = opened(wanted);
  EXPECT_TRUE(ask(client, server.url("/short")).status.ok());
  EXPECT_EQ(ask(client, server.url("/long")).status.code(), Code::resource_exhausted);
}

TEST_F(HttpClientServiceTest, R_134_SecretsAreRedactedFromErrors) {
  TestHttpServer server([](const ServerRequest& request) {
    ServerReply reply;
    reply.status = request.target == "/good" ? 200 : 401;
    reply.body = "tenant-password and user-password are wrong";
    return reply;
  });
  const ccm_str secrets[] = {c_str("tenant-password"), {}};
  auto wanted = options();
  wanted.secrets = secrets;
  wanted.secret_count = 2;
  const ccm_http_client client = opened(wanted);
  const Answer refused = ask(client, server.url("/bad"), "GET", "user-password");
  EXPECT_EQ(refused.http_status, 401u);
  EXPECT_EQ(refused.body, "[redacted] and [redacted] are wrong");
  EXPECT_EQ(ask(client, server.url("/good")).body, "tenant-password and user-password are wrong");
  const Answer failed =
      ask(client, "http://127.0.0.1:1/tenant-password/user-password", "GET", "user-password");
  EXPECT_EQ(failed.status.message().find("tenant-password"), std::string::npos)
      << failed.status.message();
}

TEST_F(HttpClientServiceTest, R_142_CloseEndsWhatRunsAndRefusesWhatComesLater) {
  std::promise<void> go;
  auto gate = go.get_future().share();
  TestHttpServer server([gate](const ServerRequest&) {
    gate.wait();
    return ServerReply();
  });
  const ccm_http_client client = opened(options());
  const ccm_http_client other = opened(options("nova"));
  Caught running, untouched;
  Answer answer, other_answer;
  send(client, server.url(), running, answer);
  send(other, server.url(), untouched, other_answer);
  poll_until([&] { return server.requests().size() == 2; });
  clients_->close(service_.self, 4'711);
  poll();
  EXPECT_FALSE(running.status);
  clients_->close(service_.self, client.number);
  poll();
  ASSERT_TRUE(running.status);
  EXPECT_EQ(running.status->code(), Code::cancelled);
  EXPECT_EQ(ask(client, server.url()).status.code(), Code::failed_precondition);
  clients_->close(service_.self, client.number);
  go.set_value();
  poll_until([&] { return untouched.status.has_value(); });
  ASSERT_TRUE(untouched.status);
  EXPECT_TRUE(untouched.status->ok()) << untouched.status->message();
  EXPECT_EQ(running.calls, 1);
}

TEST_F(HttpClientServiceTest, R_142_AClientEndsWithItsComponent) {
  std::promise<void> go;
  auto gate = go.get_future().share();
  TestHttpServer server([gate](const ServerRequest&) {
    gate.wait();
    return ServerReply();
  });
  auto wanted = options();
  wanted.flags = CCM_HTTP_INSECURE;
  const ccm_http_client client = opened(wanted);
  Caught running, late;
  Answer answer, late_answer;
  send(client, server.url(), running, answer);
  poll_until([&] { return server.requests().size() == 1; });
  component_->destroy(1s, [](const Status&) {});
  poll();
  ASSERT_TRUE(running.status);
  EXPECT_EQ(running.status->code(), Code::cancelled);
  EXPECT_EQ(plugin_.destroyed, 1);
  send(client, server.url(), late, late_answer);
  ASSERT_TRUE(late.status) << "inside the call";
  EXPECT_EQ(late.status->code(), Code::failed_precondition);
  go.set_value();
  const std::size_t warnings = logged("does not check the server's certificate");
  advance(3h);
  EXPECT_EQ(logged("does not check the server's certificate"), warnings);
}

// As with the shared client.
TEST_F(HttpClientServiceTest, R_131_OnlyTheLeaderWrites) {
  TestHttpServer server(hello);
  const ccm_http_client client = opened(options());
  leader_.lead = false;
  const Answer refused = ask(client, server.url(), "POST");
  EXPECT_EQ(refused.status.code(), Code::failed_precondition);
  EXPECT_EQ(refused.status.reason(), CCM_REASON_NOT_LEADING);
  EXPECT_EQ(server.requests().size(), 0u);
  EXPECT_TRUE(ask(client, server.url(), "GET").status.ok());
  leader_.lead = true;
  EXPECT_TRUE(ask(client, server.url(), "POST").status.ok());
}

}  // namespace
}  // namespace ccm::plugin

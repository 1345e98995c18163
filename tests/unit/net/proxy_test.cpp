// Requests through proxies that really forward.
#include "client_fixture.hpp"
#include "test_proxy.hpp"

namespace ccm::net {
namespace {

using test::ProxyOptions;
using test::ServerReply;
using test::ServerRequest;
using test::TestHttpServer;
using test::TestProxy;

class ProxyTest : public ClientTest {
 protected:
  static ServerReply hello(const ServerRequest&) { return reply("hello"); }
  void use(const std::string& scheme, const TestProxy& proxy, const std::string& user = "") {
    options_.proxy_url = scheme + "://" + user + "127.0.0.1:" + std::to_string(proxy.port());
  }
  static std::string name_of(const TestHttpServer& server) {
    return "127.0.0.1:" + std::to_string(server.port());
  }
};

TEST_F(ProxyTest, API_92_TunnelsHttpsByConnect) {
  TestHttpServer server(hello, trusted());
  TestProxy proxy({});
  use("http", proxy);
  for (int i = 0; i < 3; ++i) {
    const Result<Response> response = get(server.url());
    ASSERT_TRUE(response.ok()) << response.status().message();
    EXPECT_EQ(response->body, "hello");
  }
  EXPECT_EQ(proxy.targets(), std::vector<std::string>{name_of(server)});
}

TEST_F(ProxyTest, ShowsBasicCredentials) {
  TestHttpServer server(hello, trusted());
  ProxyOptions options;
  options.user = "user";
  options.password = "pass";
  TestProxy proxy(options);
  use("http", proxy, "user:pass@");
  EXPECT_TRUE(get(server.url()).ok());
  EXPECT_EQ(server.requests().at(0).header("proxy-authorization"), "");

  use("http", proxy, "user:wrong@");
  client_.reset();
  const Status status = get(server.url()).status();
  EXPECT_EQ(status.code(), Code::unauthenticated) << status.message();
  EXPECT_EQ(status.message().find("wrong"), std::string::npos) << status.message();
}

TEST_F(ProxyTest, ATlsProxyCarriesTlsInsideTls) {
  TestHttpServer server([](const ServerRequest&) { return reply(std::string(300'000, 'x')); },
                        trusted());
  ProxyOptions options;
  options.certificate = test::issue_for_loopback(authority_);
  TestProxy proxy(options);
  use("https", proxy);
  for (int i = 0; i < 3; ++i) {
    const Result<Response> response = get(server.url());
    ASSERT_TRUE(response.ok()) << response.status().message();
    EXPECT_EQ(response->body.size(), 300'000u);
  }
  EXPECT_EQ(proxy.targets().size(), 1u);
}

TEST_F(ProxyTest, ATlsProxyIsVerified) {
  TestHttpServer server(hello, trusted());
  ProxyOptions options;
  options.certificate = test::issue_for_loopback(test::make_authority("somebody else"));
  TestProxy proxy(options);
  use("https", proxy);
  const Status status = get(server.url()).status();
  EXPECT_EQ(status.code(), Code::unauthenticated);
  EXPECT_NE(status.message().find("proxy"), std::string::npos) << status.message();
}

TEST_F(ProxyTest, PlainHttpGoesInAbsoluteForm) {
  TestHttpServer server(hello);
  ProxyOptions options;
  options.user = "user";
  options.password = "pass";
  TestProxy proxy(options);
  use("http", proxy, "user:pass@");
  const Result<Response> response = get(server.url("/path?q=1"));
  ASSERT_TRUE(response.ok()) << response.status().message();
  EXPECT_EQ(server.requests().at(0).target, server.url("/path?q=1"));
}

TEST_F(ProxyTest, Socks5LeavesNamesToTheProxy) {
  TestHttpServer server(hello, trusted());
  ProxyOptions options;
  options.socks5 = true;
  TestProxy proxy(options);
  use("socks5", proxy);
  EXPECT_TRUE(get(server.url()).ok());
  const std::string port = std::to_string(server.port());
  EXPECT_TRUE(get("https://localhost:" + port + "/").ok());
  EXPECT_EQ(proxy.targets(), (std::vector<std::string>{"address:" + port, "localhost:" + port}));
}

TEST_F(ProxyTest, Socks5TakesPasswords) {
  TestHttpServer server(hello);
  ProxyOptions options;
  options.socks5 = true;
  options.user = "user";
  options.password = "secret";
  TestProxy proxy(options);
  use("socks5", proxy, "user:secret@");
  const Result<Response> response = get(server.url());
  EXPECT_TRUE(response.ok()) << response.status().message();

  for (const char* user : {"user:wrong@", ""}) {
    use("socks5", proxy, user);
    client_.reset();
    EXPECT_EQ(get(server.url()).status().code(), Code::unauthenticated);
  }
}

TEST_F(ProxyTest, ARefusalSaysWhoRefusedWhat) {
  TestHttpServer server(hello, trusted());
  ProxyOptions options;
  options.refuse_with = 503;
  TestProxy http(options);
  use("http", http);
  Status status = get(server.url()).status();
  EXPECT_EQ(status.code(), Code::unavailable);
  EXPECT_NE(status.message().find("refused to connect to " + name_of(server)), std::string::npos);

  options.socks5 = true;
  options.refuse_with = 5;
  TestProxy socks(options);
  use("socks5", socks);
  client_.reset();
  status = get(server.url()).status();
  EXPECT_EQ(status.code(), Code::unavailable);
  EXPECT_NE(status.message().find("connection refused"), std::string::npos) << status.message();
}

TEST_F(ProxyTest, AProxyThatSpeaksForTheTargetIsRefused) {
  TestHttpServer server(hello, trusted());
  ProxyOptions options;
  options.talk_early = true;
  TestProxy proxy(options);
  use("http", proxy);
  EXPECT_FALSE(get(server.url()).ok());
  EXPECT_EQ(server.requests().size(), 0u);
}

TEST_F(ProxyTest, AMissingProxyIsNamed) {
  TestHttpServer server(hello, trusted());
  {
    TestProxy gone({});
    use("http", gone);
  }
  const Status status = get(server.url()).status();
  EXPECT_EQ(status.code(), Code::unavailable);
  EXPECT_NE(status.message().find("proxy: cannot connect"), std::string::npos) << status.message();
}

TEST_F(ProxyTest, ABadProxyUrlShowsInCheck) {
  options_.proxy_url = "ftp://127.0.0.1";
  EXPECT_EQ(client().check().code(), Code::invalid_argument);
  EXPECT_EQ(get("http://127.0.0.1:1/").status().code(), Code::invalid_argument);
}

}  // namespace
}  // namespace ccm::net

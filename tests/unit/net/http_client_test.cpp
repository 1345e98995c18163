#include "client_fixture.hpp"

#include <atomic>

namespace ccm::net {
namespace {

using test::ServerReply;
using test::ServerRequest;
using test::TestHttpServer;

ServerReply echo(const ServerRequest& request) {
  return reply(request.method + " " + request.target + " " + request.body);
}

TEST_F(ClientTest, SendsARequestAndReadsTheAnswer) {
  TestHttpServer server(echo);
  options_.user_agent = "agent/1";
  Request request;
  request.method = "PATCH";
  request.url = server.url("/a/b?c=d");
  request.headers = {{"X-One", "1"}};
  request.body = "payload";
  const Result<Response> response = send(request);
  ASSERT_TRUE(response.ok()) << response.status().message();
  EXPECT_EQ(response->status, 200u);
  EXPECT_EQ(response->body, "PATCH /a/b?c=d payload");
  const ServerRequest seen = server.requests().at(0);
  EXPECT_EQ(seen.header("host"), "127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(seen.header("user-agent"), "agent/1");
  EXPECT_EQ(seen.header("x-one"), "1");
  EXPECT_EQ(seen.header("content-length"), "7");
}

TEST_F(ClientTest, KeepsAConnectionForTheNextRequest) {
  TestHttpServer server(echo, trusted());
  for (int i = 0; i < 20; ++i) {
    const Result<Response> response = get(server.url());
    ASSERT_TRUE(response.ok()) << response.status().message();
  }
  EXPECT_EQ(server.connections(), 1u);
}

}  // namespace
}  // namespace ccm::net

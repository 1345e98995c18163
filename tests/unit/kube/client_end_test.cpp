// A call ends with those who wait for it: with their stop token or at their deadline, wherever it
// is, and nothing is sent afterwards.
#include "kube/client.hpp"
#include "net/write_gate.hpp"
#include "scripted_api.hpp"

#include <boost/asio/detached.hpp>

namespace ccm::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::ServerReply;
using test::ServerRequest;
using test::TestHttpServer;

class ClientEndTest : public KubeTest {
 protected:
  static ServerReply throttled(const std::string& retry_after) {
    ServerReply reply = status_reply(429, "TooManyRequests");
    reply.headers.emplace_back("Retry-After", retry_after);
    return reply;
  }
  Client client_with(const TestHttpServer& server, double qps = 0, int burst = 1) {
    ClientOptions options;
    options.qps = qps;
    options.burst = burst;
    options.gate = gate_;
    return Client(loop_.get_executor(), config_for(server), options);
  }
  // Begins a patch of `name` whose result comes to `patched_`.
  void patch(const Client& client, const std::string& name, const CallOptions& call) {
    Client copy = client;
    ObjectRequest patch = patch_of(resources::nodes(), name, PatchType::merge);
    patch.call = call;
    boost::asio::co_spawn(loop_, store_result(copy.send(std::move(patch)), &patched_),
                          boost::asio::detached);
  }
  // The server counts on a thread of its own, which wakes nobody here.
  void run_until_requested(const TestHttpServer& server) {
    const auto limit = steady_clock::now() + std::chrono::seconds(20);
    while (server.requests().empty() && steady_clock::now() < limit) run_for(milliseconds(2));
    ASSERT_EQ(server.requests().size(), 1u);
  }
  void run_for(milliseconds time) {
    loop_.restart();
    loop_.run_for(time);
  }

  std::shared_ptr<net::WriteGate> gate_ = std::make_shared<net::WriteGate>([] { return true; });
  std::stop_source stop_;
  std::optional<Result<std::string>> patched_;
};

TEST_F(ClientEndTest, API_68_NoRetryGoesOutAfterTheEnd) {
  TestHttpServer server([](const ServerRequest&) { return throttled("1"); });
  const Client client = client_with(server);
  CallOptions call;
  call.stop = stop_.get_token();
  patch(client, "n1", call);
  run_until_requested(server);
  run_for(milliseconds(50));
  stop_.request_stop();
  run_until([&] { return patched_.has_value(); });
  EXPECT_EQ(patched_->status().code(), Code::cancelled);
  run_for(milliseconds(1'500));
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(ClientEndTest, WhatWaitsForTheRateLimitIsNeitherSentNorHoldsAPlace) {
  TestHttpServer server([](const ServerRequest&) { return json_reply("{}"); });
  const Client client = client_with(server, 0.5, 1);  // 2 s for each
  ASSERT_TRUE(run(Client(client).send(read_of(resources::nodes(), "", "first"))).ok());
  CallOptions call;
  call.stop = stop_.get_token();
  patch(client, "second", call);
  run_for(milliseconds(20));
  stop_.request_stop();
  run_until([&] { return patched_.has_value(); });
  EXPECT_EQ(patched_->status().code(), Code::cancelled);
  const auto begin = steady_clock::now();
  ASSERT_TRUE(run(Client(client).send(read_of(resources::nodes(), "", "third"))).ok());
  EXPECT_LT(steady_clock::now() - begin, milliseconds(3'800)) << "the second one's token is its";
  ASSERT_EQ(server.requests().size(), 2u);
  EXPECT_EQ(server.requests()[1].target, "/api/v1/nodes/third");
}

TEST_F(ClientEndTest, WhatHasEndedBeforeItBeganIsNotSent) {
  TestHttpServer server([](const ServerRequest&) { return json_reply("{}"); });
  const Client client = client_with(server);
  CallOptions call;
  call.stop = stop_.get_token();
  stop_.request_stop();
  patch(client, "n1", call);
  run_until([&] { return patched_.has_value(); });
  EXPECT_EQ(patched_->status().code(), Code::cancelled);
  EXPECT_TRUE(server.requests().empty());
}

// Cutting the connection would not take it back.
TEST_F(ClientEndTest, AWriteThatWasSentEndsWithItsAnswer) {
  ScriptedApi api;
  ServerReply slow = json_reply("{\"done\":true}");
  slow.delay = milliseconds(300);
  api.expect({"/n1"}, slow);
  const Client client = client_with(api.server());
  CallOptions call;
  call.stop = stop_.get_token();
  patch(client, "n1", call);
  run_until([&] { return gate_->under_way() == 1; });
  run_for(milliseconds(50));
  stop_.request_stop();
  run_until([&] { return patched_.has_value(); });
  EXPECT_TRUE(patched_->ok()) << patched_->status().message();
  EXPECT_EQ(gate_->under_way(), 0u);
}

TEST_F(ClientEndTest, AReadEndsAtOnce) {
  ScriptedApi api;  // holds what it does not expect
  Client client = client_with(api.server());
  CallOptions call;
  call.stop = stop_.get_token();
  std::optional<Result<std::string>> got;
  boost::asio::co_spawn(
      loop_, store_result(client.send(read_of(resources::nodes(), "", "n1", call)), &got),
      boost::asio::detached);
  run_until_requested(api.server());
  stop_.request_stop();
  run_for(milliseconds(50));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->status().code(), Code::cancelled);
}

// A caller without time to wait learns when to come again.
TEST_F(ClientEndTest, API_68_ARetryBeyondTheDeadlineEndsTheCallAtOnce) {
  TestHttpServer server([](const ServerRequest&) { return throttled("30"); });
  const Client client = client_with(server);
  CallOptions call;
  call.deadline = steady_clock::now() + std::chrono::seconds(5);
  const auto begin = steady_clock::now();
  patch(client, "n1", call);
  run_until([&] { return patched_.has_value(); });
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(3));
  EXPECT_EQ(patched_->status().error_class(), ErrorClass::throttled);
  EXPECT_EQ(patched_->status().retry_after(), std::chrono::seconds(30));
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(ClientEndTest, AnAttemptTakesNoLongerThanTheCall) {
  ScriptedApi api;
  const Client client = client_with(api.server());
  CallOptions call;
  call.deadline = steady_clock::now() + milliseconds(200);
  patch(client, "n1", call);
  run_until([&] { return patched_.has_value(); });
  EXPECT_EQ(patched_->status().code(), Code::deadline_exceeded);
}

TEST_F(ClientEndTest, WhatWaitsBeyondItsDeadlineIsNotSent) {
  TestHttpServer server([](const ServerRequest&) { return json_reply("{}"); });
  const Client client = client_with(server, 0.5, 1);  // 2 s for each
  ASSERT_TRUE(run(Client(client).send(read_of(resources::nodes(), "", "first"))).ok());
  CallOptions call;
  call.deadline = steady_clock::now() + milliseconds(100);
  patch(client, "second", call);
  run_until([&] { return patched_.has_value(); });
  EXPECT_EQ(patched_->status().code(), Code::deadline_exceeded);
  EXPECT_EQ(server.requests().size(), 1u);
}

}  // namespace
}  // namespace ccm::kube

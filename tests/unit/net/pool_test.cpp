// Keep-alive, the cap on connections, the retry rule.
#include "client_fixture.hpp"
#include "pool_fixture.hpp"

#include <array>
#include <atomic>
#include <semaphore>

namespace ccm::net {
namespace {

using std::chrono::milliseconds;
using test::ServerReply;
using test::ServerRequest;
using test::TestHttpServer;
using Answer = std::optional<Result<Response>>;

TEST_F(PoolTest, KeepsAConnectionForTheNextRequest) {
  TestHttpServer server(hello, trusted());
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(get(server.url()).ok());
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(PoolTest, ObeysConnectionClose) {
  TestHttpServer server([](const ServerRequest&) {
    ServerReply answer = reply("x");
    answer.headers = {{"Connection", "close"}};
    answer.close = true;
    return answer;
  });
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(get(server.url()).ok());
  EXPECT_EQ(server.connections(), 3u);
}

TEST_F(PoolTest, BytesAfterTheAnswerSpoilTheConnection) {
  TestHttpServer server([](const ServerRequest&) {
    ServerReply answer;
    answer.raw =
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 "
        "OK\r\n\r\nsmuggled";
    return answer;
  });
  for (int i = 0; i < 2; ++i) EXPECT_EQ(get(server.url())->body, "ok");
  EXPECT_EQ(server.connections(), 2u);
}

TEST_F(PoolTest, NoticesIdleConnectionsThatTheServerClosed) {
  for (const bool tls : {false, true}) {
    TestHttpServer server(hello, tls ? trusted() : test::ServerOptions());
    client_.reset();
    ASSERT_TRUE(get(server.url()).ok());
    server.close_connections();
    ASSERT_TRUE(server.wait_for_open_connections(0));
    // A write must not be lost by this either: the closed connection is not used at all.
    const Result<Response> response = send(request_for(server.url(), "POST"));
    ASSERT_TRUE(response.ok()) << response.status().message();
    EXPECT_EQ(server.connections(), 2u);
  }
}

// The server reads the second request of a connection and closes without a word.
ServerReply closes_on_second(const ServerRequest& request) {
  if (request.number == 1) return reply("first");
  ServerReply answer;
  answer.cut_after = 0;
  return answer;
}

TEST_F(PoolTest, RepeatsAReadThatMetAClosingConnection) {
  for (const bool tls : {false, true}) {
    TestHttpServer server(closes_on_second, tls ? trusted() : test::ServerOptions());
    client_.reset();
    ASSERT_TRUE(get(server.url()).ok());
    const Result<Response> response = get(server.url());
    ASSERT_TRUE(response.ok()) << response.status().message();
    EXPECT_EQ(response->body, "first");
    EXPECT_EQ(server.connections(), 2u);
    EXPECT_EQ(server.requests().size(), 3u);
  }
}

TEST_F(PoolTest, API_70_NeverRepeatsAWriteThatWasSent) {
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    TestHttpServer server(closes_on_second);
    ASSERT_TRUE(get(server.url()).ok());
    const Result<Response> response = send(request_for(server.url(), method));
    ASSERT_FALSE(response.ok()) << method;
    EXPECT_EQ(response.status().code(), Code::unavailable);
    EXPECT_EQ(server.requests().size(), 2u);
  }
}

TEST_F(PoolTest, RepeatsOnlyOnce) {
  std::atomic<int> calls = 0;
  TestHttpServer server([&](const ServerRequest&) {
    ServerReply answer = reply("x");
    if (++calls > 1) answer.cut_after = 0;
    return answer;
  });
  ASSERT_TRUE(get(server.url()).ok());
  EXPECT_EQ(get(server.url()).status().code(), Code::unavailable);
  EXPECT_EQ(calls, 3);
}

TEST_F(PoolTest, ABrokenAnswerIsNotRepeated) {
  std::atomic<int> calls = 0;
  TestHttpServer server([&](const ServerRequest&) {
    ServerReply answer = reply("0123456789");
    if (++calls > 1) answer.cut_after = 30;
    return answer;
  });
  ASSERT_TRUE(get(server.url()).ok());
  EXPECT_EQ(get(server.url()).status().code(), Code::unavailable);
  EXPECT_EQ(calls, 2);
}

TEST_F(PoolTest, TheCapHoldsAndWaitersAreServedInOrder) {
  options_.max_connections_per_origin = 2;
  std::counting_semaphore<100> gate{0};
  std::atomic<unsigned> most = 0;
  std::atomic<unsigned> now = 0;
  TestHttpServer server([&](const ServerRequest&) {
    most = std::max<unsigned>(most, ++now);
    gate.acquire();
    --now;
    return reply("x");
  });
  std::vector<Answer> answers(8);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    start(request_for(server.url("/" + std::to_string(i))), &answers[i]);
  }
  for (std::size_t done = 0; done < answers.size(); ++done) {
    run_until(loop_, [&] {
      poll();
      return server.requests().size() >= std::min<std::size_t>(done + 2, answers.size());
    });
    gate.release();
    run_until(loop_, [&] {
      return static_cast<std::size_t>(std::count_if(
                 answers.begin(), answers.end(), [](const Answer& a) { return a.has_value(); })) >
             done;
    });
  }
  for (const Answer& answer : answers) EXPECT_TRUE(answer->ok());
  EXPECT_EQ(most, 2u);
  EXPECT_EQ(server.connections(), 2u);
  const auto seen = server.requests();
  for (std::size_t i = 2; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].target, "/" + std::to_string(i)) << "not first come, first served";
  }
}

TEST_F(PoolTest, WaitingForAConnectionCountsAgainstTheLimit) {
  options_.max_connections_per_origin = 1;
  std::counting_semaphore<10> gate{0};
  TestHttpServer server([&](const ServerRequest&) {
    gate.acquire();
    return reply("x");
  });
  Answer first;
  Answer second;
  start(request_for(server.url("/1")), &first);
  Request late = request_for(server.url("/2"));
  late.timeout = milliseconds(60);
  start(late, &second);
  run_until(loop_, [&] { return second.has_value(); });
  EXPECT_EQ(second->status().code(), Code::deadline_exceeded);
  EXPECT_NE(second->status().message().find("connections to become free"), std::string::npos);
  gate.release();
  run_until(loop_, [&] { return first.has_value(); });
  EXPECT_TRUE(first->ok());
  gate.release();
  EXPECT_TRUE(get(server.url("/3")).ok());
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(PoolTest, FailedRequestsGiveTheirPlaceBack) {
  options_.max_connections_per_origin = 1;
  std::atomic<int> calls = 0;
  TestHttpServer server([&](const ServerRequest&) {
    ServerReply answer = reply("x");
    answer.reset = ++calls % 2 == 1;
    return answer;
  });
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(get(server.url()).ok());
    EXPECT_TRUE(get(server.url()).ok());
    client().close_idle();
  }
}

TEST_F(PoolTest, API_100_ClosesIdleConnectionsAfterTheirTime) {
  options_.idle_connection_timeout = milliseconds(50);
  TestHttpServer server(hello, trusted());
  ASSERT_TRUE(get(server.url()).ok());
  // Nothing is left to do once the idle connection is gone, so the loop ends by itself.
  loop_.restart();
  loop_.run_for(std::chrono::seconds(10));
  EXPECT_TRUE(loop_.stopped());
  EXPECT_TRUE(server.wait_for_open_connections(0));
}

TEST_F(PoolTest, FourConnectionsOutliveABurst) {
  options_.idle_connection_timeout = std::chrono::minutes(1);  // 3 s after the burst
  std::counting_semaphore<10> gate{0};
  TestHttpServer server([&](const ServerRequest& request) {
    if (request.target == "/burst") gate.acquire();
    return reply("x");
  });
  std::array<Answer, 10> answers;
  for (Answer& answer : answers) start(request_for(server.url("/burst")), &answer);
  run_until(loop_, [&] { return server.open_connections() == 10; });
  gate.release(10);
  for (Answer& answer : answers) run_until(loop_, [&] { return answer.has_value(); });
  EXPECT_EQ(server.open_connections(), 10u) << "the burst may go on";
  loop_.restart();
  run_until(loop_, [&] { return server.open_connections() <= 4; });
  EXPECT_EQ(server.open_connections(), 4u);
  EXPECT_TRUE(get(server.url()).ok());
  EXPECT_EQ(server.connections(), 10u) << "one of the four was used";
}

TEST_F(PoolTest, CloseIdleClosesNow) {
  TestHttpServer server(hello);
  ASSERT_TRUE(get(server.url()).ok());
  client().close_idle();
  EXPECT_TRUE(server.wait_for_open_connections(0));
  EXPECT_TRUE(get(server.url()).ok());
}

TEST_F(PoolTest, SetTlsLetsRunningExchangesEndAndKeepsNoOldConnection) {
  std::counting_semaphore<10> gate{0};
  TestHttpServer server(
      [&](const ServerRequest& request) {
        if (request.target == "/slow") gate.acquire();
        return reply("x");
      },
      trusted());
  Answer slow;
  start(request_for(server.url("/slow")), &slow);
  run_until(loop_, [&] {
    poll();
    return server.requests().size() == 1;
  });
  client().set_tls(options_.tls);
  gate.release();
  run_until(loop_, [&] { return slow.has_value(); });
  EXPECT_TRUE(slow->ok());
  ASSERT_TRUE(get(server.url("/")).ok());
  EXPECT_EQ(server.connections(), 2u);
}

TEST_F(PoolTest, ManyRequestsShareFewConnections) {
  options_.max_connections_per_origin = 4;
  TestHttpServer server([](const ServerRequest& request) { return reply(request.target); },
                        trusted());
  std::vector<Answer> answers(500);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    start(request_for(server.url("/" + std::to_string(i)), "PATCH"), &answers[i]);
  }
  run_until(loop_, [&] {
    return std::all_of(answers.begin(), answers.end(),
                       [](const Answer& a) { return a.has_value(); });
  });
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i]->ok()) << answers[i]->status().message();
    EXPECT_EQ((*answers[i])->body, "/" + std::to_string(i));
  }
  EXPECT_EQ(server.connections(), 4u);
}

}  // namespace
}  // namespace ccm::net

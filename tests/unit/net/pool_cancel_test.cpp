// Cancellation, and the end of clients and loops.
#include "client_fixture.hpp"
#include "pool_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <semaphore>

namespace ccm::net {
namespace {

using std::chrono::milliseconds;
using test::ServerRequest;
using test::TestHttpServer;
using Answer = std::optional<Result<Response>>;

TEST_F(PoolTest, CancellingInFlightClosesTheConnection) {
  for (const bool tls : {false, true}) {
    options_.max_connections_per_origin = 1;
    std::counting_semaphore<10> gate{0};
    TestHttpServer server(
        [&](const ServerRequest& request) {
          if (request.target == "/slow") gate.acquire();
          return reply("x");
        },
        tls ? trusted() : test::ServerOptions());
    client_.reset();
    Answer cancelled;
    boost::asio::cancellation_signal stop;
    boost::asio::co_spawn(loop_, store(client().send(request_for(server.url("/slow"))), &cancelled),
                          boost::asio::bind_cancellation_slot(stop.slot(), boost::asio::detached));
    Answer waiting;
    start(request_for(server.url("/next")), &waiting);
    run_until(loop_, [&] {
      poll();
      return server.requests().size() == 1;
    });
    EXPECT_FALSE(waiting.has_value());
    stop.emit(boost::asio::cancellation_type::terminal);
    run_until(loop_, [&] { return cancelled.has_value() && waiting.has_value(); });
    EXPECT_EQ(cancelled->status().code(), Code::cancelled) << cancelled->status().message();
    EXPECT_TRUE(waiting->ok()) << waiting->status().message();
    EXPECT_EQ(server.connections(), 2u);
    gate.release(3);
    EXPECT_TRUE(server.wait_for_open_connections(1));
  }
}

TEST_F(PoolTest, CancellingAWaiterLeavesTheQueueWhole) {
  options_.max_connections_per_origin = 1;
  std::counting_semaphore<10> gate{0};
  TestHttpServer server([&](const ServerRequest&) {
    gate.acquire();
    return reply("x");
  });
  Answer first;
  Answer second;
  Answer third;
  boost::asio::cancellation_signal stop;
  start(request_for(server.url("/1")), &first);
  boost::asio::co_spawn(loop_, store(client().send(request_for(server.url("/2"))), &second),
                        boost::asio::bind_cancellation_slot(stop.slot(), boost::asio::detached));
  start(request_for(server.url("/3")), &third);
  poll();
  stop.emit(boost::asio::cancellation_type::terminal);
  run_until(loop_, [&] { return second.has_value(); });
  EXPECT_EQ(second->status().code(), Code::cancelled);
  gate.release(2);
  run_until(loop_, [&] { return first.has_value() && third.has_value(); });
  EXPECT_TRUE(first->ok());
  EXPECT_TRUE(third->ok());
  EXPECT_EQ(server.requests().size(), 2u);
}

boost::asio::awaitable<void> store_marked(boost::asio::awaitable<Result<Response>> task,
                                          bool* started, Answer* answer) {
  *started = true;
  answer->emplace(co_await std::move(task));
}

TEST_F(PoolTest, CancellingAtEveryStepIsSafe) {
  TestHttpServer server(hello, trusted());
  options_.max_connections_per_origin = 2;
  const std::string url = "https://localhost:" + std::to_string(server.port()) + "/";
  // The signal meets lookup, connection, handshake, sending, waiting and reading in turn.
  for (int steps = 0; steps < 40; ++steps) {
    Answer answer;
    bool started = false;
    boost::asio::cancellation_signal stop;
    boost::asio::co_spawn(loop_, store_marked(client().send(request_for(url)), &started, &answer),
                          boost::asio::bind_cancellation_slot(stop.slot(), boost::asio::detached));
    run_until(loop_, [&] { return started; });
    for (int i = 0; i < steps && !answer; ++i) loop_.run_one_for(milliseconds(20));
    if (!answer) stop.emit(boost::asio::cancellation_type::terminal);
    run_until(loop_, [&] { return answer.has_value(); });
    if (!answer->ok()) {
      EXPECT_EQ(answer->status().code(), Code::cancelled) << answer->status().message();
    }
    if (steps % 3 == 0) client().close_idle();
  }
  EXPECT_TRUE(get(server.url()).ok());
}

TEST_F(PoolTest, DroppingTheLoopInTheMiddleIsSafe) {
  std::counting_semaphore<10> gate{0};
  TestHttpServer server([&](const ServerRequest&) {
    gate.acquire();
    return reply("x");
  });
  Answer first;
  Answer second;
  {
    boost::asio::io_context loop;
    ClientOptions options;
    options.max_connections_per_origin = 1;
    HttpClient client(loop.get_executor(), options);
    boost::asio::co_spawn(loop, store(client.send(request_for(server.url("/1"))), &first),
                          boost::asio::detached);
    boost::asio::co_spawn(loop, store(client.send(request_for(server.url("/2"))), &second),
                          boost::asio::detached);
    while (server.requests().empty()) loop.run_one_for(milliseconds(5));
  }
  gate.release(5);
  EXPECT_TRUE(server.wait_for_open_connections(0));
  EXPECT_FALSE(first.has_value());
}

TEST_F(PoolTest, RunningRequestsOutliveTheirClient) {
  std::counting_semaphore<10> gate{0};
  TestHttpServer server([&](const ServerRequest&) {
    gate.acquire();
    return reply("x");
  });
  Answer answer;
  start(request_for(server.url()), &answer);
  run_until(loop_, [&] {
    poll();
    return server.requests().size() == 1;
  });
  client_.reset();
  gate.release();
  run_until(loop_, [&] { return answer.has_value(); });
  EXPECT_TRUE(answer->ok());
  EXPECT_TRUE(server.wait_for_open_connections(0)) << "nothing may be kept without a client";
}

}  // namespace
}  // namespace ccm::net

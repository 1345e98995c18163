#include "net/write_gate.hpp"

#include "client_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>

#include <atomic>
#include <future>

namespace ccm::net {
namespace {

using test::ServerReply;
using test::ServerRequest;
using test::TestHttpServer;

class WriteGateTest : public ClientTest {
 protected:
  Request write_to(const TestHttpServer& server) {
    Request request;
    request.method = "POST";
    request.url = server.url();
    request.body = "body";
    request.gate = gate_;
    return request;
  }

  std::atomic<bool> allowed_ = true;
  std::shared_ptr<WriteGate> gate_ =
      std::make_shared<WriteGate>([this] { return allowed_.load(); });
};

TEST_F(WriteGateTest, LetsWritesThroughWhileItIsOpen) {
  TestHttpServer server([](const ServerRequest&) { return reply("done"); });
  const auto response = send(write_to(server));
  ASSERT_TRUE(response.ok()) << response.status().message();
  EXPECT_EQ(gate_->under_way(), 0u);
}

TEST_F(WriteGateTest, AShutGateKeepsEveryByte) {
  TestHttpServer server([](const ServerRequest&) { return reply("done"); });
  allowed_ = false;
  const auto response = send(write_to(server));
  EXPECT_EQ(response.status().code(), Code::failed_precondition);
  EXPECT_EQ(response.status().reason(), "NotLeading");
  EXPECT_TRUE(get(server.url()).ok()) << "requests without the gate are not concerned";
  EXPECT_EQ(server.requests().size(), 1u);
  allowed_ = true;
  EXPECT_TRUE(send(write_to(server)).ok());
  gate_->close();
  EXPECT_FALSE(send(write_to(server)).ok()) << "closed for good";
}

TEST_F(WriteGateTest, IsAskedBehindTheWaitForAConnection) {
  std::promise<void> go_on;
  auto released = go_on.get_future().share();
  TestHttpServer server([released](const ServerRequest& request) {
    if (request.method == "GET") released.wait();
    return reply("done");
  });
  options_.max_connections_per_origin = 1;
  Request first;
  first.url = server.url();
  std::optional<Result<Response>> read;
  std::optional<Result<Response>> written;
  const auto rethrow = [](const std::exception_ptr& error) {
    if (error) std::rethrow_exception(error);
  };
  boost::asio::co_spawn(loop_, store(client().send(first), &read), rethrow);
  run_until(loop_, [&] { return server.requests().size() == 1; });
  boost::asio::co_spawn(loop_, store(client().send(write_to(server)), &written), rethrow);
  loop_.restart();
  loop_.poll();
  ASSERT_FALSE(written) << "it waits for the only connection";
  allowed_ = false;
  go_on.set_value();
  run_until(loop_, [&] { return read && written; });
  EXPECT_TRUE(read->ok());
  EXPECT_EQ(written->status().reason(), "NotLeading");
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(WriteGateTest, KnowsWhenTheLastAnswerIsThere) {
  std::promise<void> go_on;
  auto released = go_on.get_future().share();
  TestHttpServer server([released](const ServerRequest&) {
    released.wait();
    return reply("done");
  });
  std::optional<Result<Response>> written;
  boost::asio::co_spawn(loop_, store(client().send(write_to(server)), &written),
                        boost::asio::detached);
  run_until(loop_, [&] { return server.requests().size() == 1; });
  EXPECT_EQ(gate_->under_way(), 1u);
  gate_->close();
  EXPECT_EQ(gate_->under_way(), 1u);
  go_on.set_value();
  run_until(loop_, [&] { return written.has_value(); });
  EXPECT_EQ(gate_->under_way(), 0u);
  EXPECT_TRUE(written->ok()) << "what had left before the gate shut is carried out";
}

// Giving up does not take back what has left: the server may carry it out, so the Lease must not go
// before the answer is there.
TEST_F(WriteGateTest, ACancelledWriteThatWasSentIsUnderWayUntilItsAnswer) {
  std::promise<void> go_on;
  auto released = go_on.get_future().share();
  TestHttpServer server([released](const ServerRequest&) {
    released.wait();
    return reply("done");
  });
  std::optional<Result<Response>> written;
  boost::asio::cancellation_signal cancel;
  boost::asio::co_spawn(loop_, store(client().send(write_to(server)), &written),
                        boost::asio::bind_cancellation_slot(cancel.slot(), boost::asio::detached));
  run_until(loop_, [&] { return server.requests().size() == 1; });
  cancel.emit(boost::asio::cancellation_type::terminal);
  loop_.restart();
  loop_.poll();
  EXPECT_EQ(gate_->under_way(), 1u);
  EXPECT_FALSE(written);
  go_on.set_value();
  run_until(loop_, [&] { return written.has_value(); });
  EXPECT_TRUE(written->ok()) << written->status().message();
  EXPECT_EQ(gate_->under_way(), 0u);
}

TEST_F(WriteGateTest, ACancelledWriteThatWaitsForItsConnectionIsNeverSent) {
  std::promise<void> go_on;
  auto released = go_on.get_future().share();
  TestHttpServer server([released](const ServerRequest&) {
    released.wait();
    return reply("done");
  });
  options_.max_connections_per_origin = 1;
  Request first;
  first.url = server.url();
  std::optional<Result<Response>> read;
  std::optional<Result<Response>> written;
  boost::asio::cancellation_signal cancel;
  boost::asio::co_spawn(loop_, store(client().send(first), &read), boost::asio::detached);
  run_until(loop_, [&] { return server.requests().size() == 1; });
  boost::asio::co_spawn(loop_, store(client().send(write_to(server)), &written),
                        boost::asio::bind_cancellation_slot(cancel.slot(), boost::asio::detached));
  loop_.restart();
  loop_.poll();
  cancel.emit(boost::asio::cancellation_type::terminal);
  run_until(loop_, [&] { return written.has_value(); });
  EXPECT_EQ(written->status().code(), Code::cancelled);
  go_on.set_value();
  run_until(loop_, [&] { return read.has_value(); });
  EXPECT_EQ(server.requests().size(), 1u);
}

TEST_F(WriteGateTest, AWriteThatBreaksEndsToo) {
  TestHttpServer server([](const ServerRequest&) {
    ServerReply broken;
    broken.reset = true;
    return broken;
  });
  EXPECT_FALSE(send(write_to(server)).ok());
  EXPECT_EQ(gate_->under_way(), 0u);
}

}  // namespace
}  // namespace ccm::net

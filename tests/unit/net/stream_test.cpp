// Answers that are read as they arrive.
#include "client_fixture.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/steady_timer.hpp>

#include <semaphore>

namespace ccm::net {
namespace {

using std::chrono::milliseconds;
using test::ServerReply;
using test::ServerRequest;
using test::TestHttpServer;

class StreamTest : public ClientTest {
 protected:
  // A reply whose chunks leave one by one, each when released.
  ServerReply gated(std::vector<std::string> chunks) {
    ServerReply answer;
    answer.chunks = std::move(chunks);
    answer.before_chunk = [this](std::size_t) { gate_.acquire(); };
    return answer;
  }
  Result<std::unique_ptr<ResponseStream>> open_url(const std::string& url) {
    Request request;
    request.url = url;
    return open(std::move(request));
  }
  std::counting_semaphore<100> gate_{0};
};

TEST_F(StreamTest, HandsOutPiecesAsTheyArrive) {
  TestHttpServer server(
      [&](const ServerRequest&) {
        return gated({"one", "two", "three"});
      },
      trusted());
  auto stream = open_url(server.url("/watch"));
  ASSERT_TRUE(stream.ok()) << stream.status().message();
  EXPECT_EQ((*stream)->head().status, 200u);
  for (const char* piece : {"one", "two", "three"}) {
    gate_.release();
    const Result<std::string> got = read(**stream);
    ASSERT_TRUE(got.ok()) << got.status().message();
    EXPECT_EQ(*got, piece);
  }
  gate_.release();
  EXPECT_EQ(*read(**stream), "");
  EXPECT_EQ(*read(**stream), "");
}

TEST_F(StreamTest, AnEndedStreamLeavesItsConnectionForOthers) {
  ServerReply answer;
  answer.chunks = {"all"};
  TestHttpServer server([&](const ServerRequest&) { return answer; }, trusted());
  auto stream = open_url(server.url());
  ASSERT_TRUE(stream.ok());
  EXPECT_EQ(*read(**stream), "all");
  EXPECT_EQ(*read(**stream), "");
  EXPECT_EQ(get(server.url())->body, "all");
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(StreamTest, ACutStreamIsUnavailable) {
  for (const bool tls : {false, true}) {
    ServerReply answer;
    answer.chunks = {"one"};
    answer.no_last_chunk = true;
    TestHttpServer server([&](const ServerRequest&) { return answer; },
                          tls ? trusted() : test::ServerOptions());
    client_.reset();
    auto stream = open_url(server.url("/watch?token=secret"));
    ASSERT_TRUE(stream.ok());
    EXPECT_EQ(*read(**stream), "one");
    const Result<std::string> end = read(**stream);
    ASSERT_FALSE(end.ok());
    EXPECT_EQ(end.status().code(), Code::unavailable);
    EXPECT_EQ(end.status().message().rfind("GET " + server.url("/watch") + ": ", 0), 0u)
        << end.status().message();
    EXPECT_EQ(read(**stream).status().message(), end.status().message());
  }
}

TEST_F(StreamTest, SilenceMeetsTheIdleLimit) {
  TestHttpServer server([&](const ServerRequest&) { return gated({"one", "never"}); });
  auto stream = open_url(server.url());
  ASSERT_TRUE(stream.ok());
  gate_.release();
  EXPECT_EQ(*read(**stream, milliseconds(5000)), "one");
  const Result<std::string> late = read(**stream, milliseconds(60));
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.status().code(), Code::deadline_exceeded);
  gate_.release(5);
}

TEST_F(StreamTest, TheTimeLimitOfTheRequestEndsWithTheHeader) {
  TestHttpServer server([&](const ServerRequest&) { return gated({"one"}); });
  Request request;
  request.url = server.url();
  request.timeout = milliseconds(1000);
  auto stream = open(request);
  ASSERT_TRUE(stream.ok());
  boost::asio::steady_timer pause(loop_, milliseconds(1200));
  pause.async_wait([&](const boost::system::error_code&) { gate_.release(2); });
  const Result<std::string> got = read(**stream, milliseconds(0));
  ASSERT_TRUE(got.ok()) << got.status().message();
  EXPECT_EQ(*got, "one");
}

TEST_F(StreamTest, HasNoLimitOfBytes) {
  ServerReply answer;
  answer.chunks.assign(40, std::string(50'000, 'x'));
  TestHttpServer server([&](const ServerRequest&) { return answer; }, trusted());
  Request request;
  request.url = server.url();
  request.max_response_bytes = 1000;
  auto stream = open(request);
  ASSERT_TRUE(stream.ok());
  std::size_t total = 0;
  while (true) {
    const Result<std::string> got = read(**stream);
    ASSERT_TRUE(got.ok()) << got.status().message();
    if (got->empty()) break;
    total += got->size();
  }
  EXPECT_EQ(total, 2'000'000u);
}

TEST_F(StreamTest, DestroyingItClosesTheConnection) {
  TestHttpServer server([&](const ServerRequest&) { return gated({"one", "two"}); });
  auto stream = open_url(server.url());
  ASSERT_TRUE(stream.ok());
  stream->reset();
  gate_.release(10);
  EXPECT_TRUE(server.wait_for_open_connections(0));
}

TEST_F(StreamTest, API_104_StreamsDoNotCountAgainstTheCap) {
  options_.max_connections_per_origin = 1;
  TestHttpServer server([&](const ServerRequest& request) {
    return request.target == "/watch" ? gated({"one"}) : reply("plain");
  });
  auto first = open_url(server.url("/watch"));
  auto second = open_url(server.url("/watch"));
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(get(server.url("/"))->body, "plain");
  gate_.release(10);
}

TEST_F(StreamTest, OutlivesItsClient) {
  TestHttpServer server([&](const ServerRequest&) { return gated({"one", "two"}); }, trusted());
  auto stream = open_url(server.url());
  ASSERT_TRUE(stream.ok());
  client_.reset();
  gate_.release(3);
  EXPECT_EQ(*read(**stream), "one");
}

TEST_F(StreamTest, ACancelledReadEndsTheStream) {
  TestHttpServer server([&](const ServerRequest&) { return gated({"one"}); }, trusted());
  auto stream = open_url(server.url());
  ASSERT_TRUE(stream.ok());
  std::optional<Result<std::string>> result;
  boost::asio::cancellation_signal stop;
  boost::asio::co_spawn(loop_, store((*stream)->read(milliseconds(0)), &result),
                        boost::asio::bind_cancellation_slot(stop.slot(), boost::asio::detached));
  loop_.restart();
  loop_.poll();
  ASSERT_FALSE(result.has_value());
  stop.emit(boost::asio::cancellation_type::terminal);
  run_until(loop_, [&] { return result.has_value(); });
  EXPECT_EQ(result->status().code(), Code::cancelled) << result->status().message();
  gate_.release(5);
  EXPECT_TRUE(server.wait_for_open_connections(0));
}

}  // namespace
}  // namespace ccm::net

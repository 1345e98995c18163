// Many scrapes at the same time.
#include "endpoint_fixture.hpp"
#include "support/eventually.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace ccm::e2e {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using nlohmann::json;
using support::eventually;
using support::patience;

TEST_F(EndpointTest, AThousandScrapesByEightClientsAreAllAnswered) {
  start(reviews());
  ASSERT_EQ(ask("/metrics", scraper()).status, 200);
  constexpr int kThreads = 8;
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 1000 / kThreads; ++j) {
        if (ask("/metrics", scraper()).status == 200) ++good;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(took.count()));
  EXPECT_EQ(good, 1000);
  EXPECT_EQ(ask("/healthz").body, "ok");
}

// Many clients of one thread, all connected at once; each asks once and reads to the end.
struct Crowd {
  tcp::endpoint server;
  std::string request;
  asio::io_context loop{1};
  asio::ssl::context tls{asio::ssl::context::tls_client};  // believes any certificate
  int whole = 0;                                           // 200, with all that Content-Length says
  int closed = 0;  // no answer, or less than that: a client sees that it is cut
  std::string wrong;

  static asio::awaitable<void> ask(Crowd& crowd) {
    std::string answer;
    try {
      asio::ssl::stream<tcp::socket> stream(crowd.loop, crowd.tls);
      co_await stream.next_layer().async_connect(crowd.server, asio::use_awaitable);
      co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
      co_await asio::async_write(stream, asio::buffer(crowd.request), asio::use_awaitable);
      // Ends with an error, as the connection does.
      co_await asio::async_read(stream, asio::dynamic_buffer(answer),
                                asio::as_tuple(asio::use_awaitable));
    } catch (const boost::system::system_error&) {
      answer.clear();
    }
    crowd.judge(answer);
  }
  void judge(const std::string& answer) {
    const auto head = answer.find("\r\n\r\n");
    if (head == std::string::npos) {
      ++closed;
      return;
    }
    constexpr std::string_view kLength = "\r\nContent-Length: ";
    const auto place = answer.find(kLength);
    const bool good = answer.starts_with("HTTP/1.1 200 OK\r\n") && place < head;
    const std::size_t length =
        good ? std::strtoull(answer.c_str() + place + kLength.size(), nullptr, 10) : 0;
    const std::size_t came = answer.size() - head - 4;
    if (good && came < length) {
      ++closed;
    } else if (good && came == length && answer.back() == '\n' &&
               contains(answer, "\nleader_election_master_status{")) {
      ++whole;
    } else {
      wrong = answer.substr(0, 2000);
    }
  }
};

// A client that was allowed nothing yet is a stranger: beyond 128 of them the server closes the one
// that has been silent for longest.
TEST_F(EndpointTest, AThousandScrapesAtOnceDoNoHarm) {
  constexpr int kClients = 1000;
  constexpr int kMostStrangers = 128;
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  files.rlim_cur = std::max<rlim_t>(files.rlim_cur, std::min<rlim_t>(files.rlim_max, 4096));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  start(reviews());
  ASSERT_EQ(ask("/metrics", scraper()).status, 200);
  const auto lease = [this] {
    return api_
        .get(
            "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
            "cloud-controller-manager")
        .body.at("spec");
  };
  const json before = lease();

  Crowd crowd;
  crowd.server = {asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port())};
  crowd.request =
      "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer " +
      scraper() + "\r\n\r\n";
  for (int i = 0; i < kClients; ++i) {
    asio::co_spawn(crowd.loop, Crowd::ask(crowd), asio::detached);
  }
  const auto begin = std::chrono::steady_clock::now();
  crowd.loop.run_for(patience());
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(took.count()));
  RecordProperty("answered", crowd.whole);
  EXPECT_EQ(crowd.wrong, "");
  EXPECT_EQ(crowd.whole + crowd.closed, kClients) << "the others still wait";
  EXPECT_GE(crowd.whole, kMostStrangers) << "nobody came after the last of them";

  ASSERT_TRUE(manager_->running()) << manager_->log();
  const auto next = ask("/metrics", scraper());
  EXPECT_EQ(next.status, 200);
  EXPECT_TRUE(contains(next.body,
                       "\nleader_election_master_status{name=\"cloud-controller-manager\"} 1\n"));
  json after;
  EXPECT_TRUE(eventually(patience(), [&] {
    after = lease();
    return after.at("renewTime") != before.at("renewTime");
  })) << "the Lease is no longer renewed";
  for (const char* kept : {"holderIdentity", "acquireTime", "leaseTransitions"}) {
    EXPECT_EQ(after.at(kept), before.at(kept)) << kept;
  }
}

}  // namespace
}  // namespace ccm::e2e

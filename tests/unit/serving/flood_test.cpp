// The effect of strangers on the server and on authorized clients: processor time, connections,
// memory that a handshake announces.
#include "access_fixture.hpp"

#include <openssl/ssl.h>
#include <pthread.h>

#include <atomic>
#include <ctime>
#include <thread>
#include <vector>

namespace ccm::serving {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;
using test::TlsClient;
using test::TlsClientOptions;

constexpr milliseconds kFlood{2'000};

TlsClientOptions from(const char* address, bool tls = true) {
  TlsClientOptions options;
  options.from = address;
  options.tls = tls;
  return options;
}

class FloodTest : public AccessTest {
 protected:
  // Runs `attack` again and again on three threads while `meanwhile` runs every 50 ms. Returns
  // the server thread's use of a core.
  template <typename Attack, typename Meanwhile>
  double flood(Attack attack, Meanwhile meanwhile) {
    const nanoseconds before = used();
    std::atomic<bool> over{false};
    std::vector<std::thread> crowd;
    for (int i = 0; i < 3; ++i) {
      crowd.emplace_back([&] {
        while (!over) attack();
      });
    }
    const auto began = steady_clock::now();
    while (steady_clock::now() < began + kFlood) {
      meanwhile();
      std::this_thread::sleep_for(milliseconds(50));
    }
    const nanoseconds spent = used() - before;
    const nanoseconds took = steady_clock::now() - began;
    over = true;
    // Clients that wait for an answer get an end.
    boost::asio::post(loop_, [this] { server_->stop(); });
    for (std::thread& thread : crowd) thread.join();
    return static_cast<double>(spent.count()) / static_cast<double>(took.count());
  }
  nanoseconds used() {
    clockid_t clock{};
    timespec time{};
    ::pthread_getcpuclockid(thread_.native_handle(), &clock);
    ::clock_gettime(clock, &time);
    return std::chrono::seconds(time.tv_sec) + nanoseconds(time.tv_nsec);
  }
  // Without a share the server would be busy all the time. How much it really is on a quiet
  // machine, flood_bench tells.
  static constexpr double kMost = 0.15;
};

TEST_F(FloodTest, HandshakesHaveTheirShareAndHoldUpNobody) {
  ASSERT_TRUE(start().ok());
  TlsClient prometheus(port());
  ASSERT_EQ(status(prometheus.ask(with_token("good"))), 200u);
  int scrapes = 0;
  int probes = 0;
  const double share = flood([&] { TlsClient client(port()); },
                             [&] {
                               EXPECT_EQ(status(prometheus.ask(with_token("good"))), 200u);
                               ++scrapes;
                               TlsClient probe(port(), from("127.0.0.2"));
                               if (body(probe.ask(get("/healthz"))) == "ok") ++probes;
                             });
  EXPECT_LT(share, kMost);
  EXPECT_GT(scrapes, 1);
  EXPECT_GT(probes, 0);
}

TEST_F(FloodTest, RequestsToOpenPagesHaveTheirShareToo) {
  ASSERT_TRUE(start().ok());
  std::atomic<int> answered{0};
  int probes = 0;
  const double share = flood(
      [&] {
        TlsClient client(port());
        std::string many;
        for (int i = 0; i < 500; ++i) many += get("/healthz");
        client.send(many);
        while (body(client.read_answer()) == "ok") ++answered;
      },
      [&] {
        TlsClient probe(port(), from("127.0.0.2"));
        if (body(probe.ask(get("/healthz"))) == "ok") ++probes;
      });
  EXPECT_LT(share, kMost);
  EXPECT_GT(answered, 0);
  EXPECT_GT(probes, 0);
}

TEST_F(FloodTest, AnnouncementsOfALargeHelloAreRefusedAtOnce) {
  ASSERT_TRUE(start().ok());
  const std::string announces_100_kb("\x16\x03\x01\x40\x00\x01\x01\x86\xa0", 9);
  TlsClient client(port(), from("127.0.0.1", false));
  client.send(announces_100_kb + std::string(100, 'x'));
  const auto begin = steady_clock::now();
  EXPECT_TRUE(client.closed_by_server());
  EXPECT_LT(steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST_F(FloodTest, AConnectionHasOneHandshake) {
  ASSERT_TRUE(start().ok());
  TlsClientOptions old;
  old.max_version = TLS1_2_VERSION;
  TlsClient client(port(), old);
  ASSERT_EQ(body(client.ask(get("/healthz"))), "ok");
  EXPECT_FALSE(client.renegotiate());
}

// A tenth of a second of the server's processor for each.
TEST_F(FloodTest, FiniteFieldsAreNotOffered) {
  ASSERT_TRUE(start().ok());
  TlsClientOptions costly;
  costly.groups = "ffdhe8192";
  EXPECT_FALSE(TlsClient(port(), costly).connected());
  costly.groups = "P-384";
  EXPECT_TRUE(TlsClient(port(), costly).connected()) << "after a second hello";
}

TEST_F(FloodTest, TheMachineWithMostStrangersMakesRoom) {
  options_.max_strangers = 4;
  ASSERT_TRUE(start().ok());
  TlsClient other(port(), from("127.0.0.2"));
  EXPECT_EQ(body(other.ask(get("/healthz"))), "ok");
  std::vector<std::unique_ptr<TlsClient>> crowd;
  for (int i = 0; i < 20; ++i) {
    crowd.push_back(std::make_unique<TlsClient>(port()));
    EXPECT_EQ(body(crowd.back()->ask(get("/healthz"))), "ok");
  }
  EXPECT_LE(connections(), 4u);
  EXPECT_EQ(body(other.ask(get("/healthz"))), "ok") << "although it was silent for longest";
}

TEST_F(FloodTest, StrangersMakeRoomForThoseWhoHaveARight) {
  options_.max_connections = 4;
  ASSERT_TRUE(start().ok());
  TlsClient first(port());
  EXPECT_EQ(status(first.ask(with_token("good"))), 200u);
  std::vector<std::unique_ptr<TlsClient>> crowd;
  for (int i = 0; i < 20; ++i) {
    crowd.push_back(std::make_unique<TlsClient>(port()));
    EXPECT_EQ(body(crowd.back()->ask(get("/healthz"))), "ok");
  }
  EXPECT_EQ(status(first.ask(with_token("good"))), 200u);
  EXPECT_LE(connections(), 4u);
}

}  // namespace
}  // namespace ccm::serving

#include "client_fixture.hpp"
#include "net/connector.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <dlfcn.h>
#include <netdb.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::net {
namespace {

// Answers for names in "test", once the gate is open.
struct SlowNameServer {
  std::mutex gate;
  std::vector<std::string> asked;  // under the gate
};
SlowNameServer& name_server() {
  static SlowNameServer server;
  return server;
}

}  // namespace
}  // namespace ccm::net

// In place of the C library's.
extern "C" int getaddrinfo(const char* node, const char* service, const addrinfo* hints,
                           addrinfo** result) {
  static const auto real =
      reinterpret_cast<decltype(&::getaddrinfo)>(dlsym(RTLD_NEXT, "getaddrinfo"));
  if (node == nullptr || !std::string_view(node).ends_with(".test")) {
    return real(node, service, hints, result);
  }
  auto& server = ccm::net::name_server();
  const std::lock_guard open(server.gate);
  server.asked.emplace_back(node);
  return real("127.0.0.1", service, hints, result);
}

namespace ccm::net {
namespace {

using Dialed = std::optional<Result<std::shared_ptr<Transport>>>;
using Names = std::vector<std::string>;
using boost::asio::cancellation_signal;
using boost::asio::cancellation_type;

class DialerTest : public ClientTest {
 protected:
  DialerTest() { name_server().asked.clear(); }

  void start(const std::string& host, Dialed& dialed, boost::asio::cancellation_slot slot = {}) {
    start_on(loop_, host, dialed, slot);
  }
  void start_on(boost::asio::io_context& loop, const std::string& host, Dialed& dialed,
                boost::asio::cancellation_slot slot = {}) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    boost::asio::co_spawn(loop,
                          store(dial(loop.get_executor(), host, server_.port(), deadline), &dialed),
                          boost::asio::bind_cancellation_slot(slot, boost::asio::detached));
    loop.restart();
    loop.poll();
  }

  test::TestHttpServer server_{[](const test::ServerRequest&) { return reply("x"); }};
  std::unique_lock<std::mutex> closed_{name_server().gate};
};

// There is one thread for lookups, and a cloud's dead name would keep it once for each request.
TEST_F(DialerTest, DialsOfOneHostShareALookupThatOutlivesEachOfThem) {
  cancellation_signal stop;
  Dialed first, second, third, other, later;
  start("slow.test", first, stop.slot());
  start("slow.test", second);
  start("slow.test", third);
  start("other.test", other);
  stop.emit(cancellation_type::terminal);
  run_until(loop_, [&] { return first.has_value(); });
  EXPECT_EQ(first->status().code(), Code::cancelled);
  closed_.unlock();
  run_until(loop_, [&] { return second && third && other; });
  EXPECT_TRUE(second->ok() && third->ok() && other->ok());
  EXPECT_EQ(name_server().asked, (Names{"slow.test", "other.test"}));
  start("slow.test", later);
  run_until(loop_, [&] { return later.has_value(); });
  EXPECT_TRUE(later->ok()) << later->status().message();
  EXPECT_EQ(name_server().asked.size(), 3u) << "what has ended is not shared";
}

TEST_F(DialerTest, ALookupWithoutADialIsDropped) {
  cancellation_signal stop_slow, stop_queued;
  Dialed slow, queued, again;
  start("slow.test", slow, stop_slow.slot());
  start("queued.test", queued, stop_queued.slot());
  stop_slow.emit(cancellation_type::terminal);
  stop_queued.emit(cancellation_type::terminal);
  run_until(loop_, [&] { return slow && queued; });
  start("slow.test", again);
  closed_.unlock();
  run_until(loop_, [&] { return again.has_value(); });
  EXPECT_TRUE(again->ok()) << again->status().message();
  const Names& asked = name_server().asked;
  EXPECT_EQ(std::count(asked.begin(), asked.end(), "queued.test"), 0);
}

TEST_F(DialerTest, DroppingTheLoopDuringALookupIsSafe) {
  Dialed first, second;
  {
    boost::asio::io_context loop{1};
    start_on(loop, "slow.test", first);
    start_on(loop, "slow.test", second);
    closed_.unlock();
  }
  EXPECT_FALSE(first || second);
}

}  // namespace
}  // namespace ccm::net

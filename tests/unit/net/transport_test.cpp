#include "net/transport.hpp"

#include "client_fixture.hpp"

#include <boost/asio/write.hpp>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <vector>

namespace ccm::net {
namespace {

using boost::asio::ip::tcp;

// Puts a file in the descriptor's place that epoll refuses, as it refuses any when memory is short:
// there is a limit to how deep epoll files may watch each other.
struct RefusedDescriptor final : ReadPace {
  explicit RefusedDescriptor(int given) : descriptor(given) {}
  ~RefusedDescriptor() override {
    for (const int file : nested) ::close(file);
  }
  bool may_read() override { return false; }
  boost::asio::awaitable<void> wait() override {
    epoll_event event{};
    while (true) {
      nested.push_back(epoll_create1(EPOLL_CLOEXEC));
      const int inner = nested[nested.size() - 2];
      if (epoll_ctl(nested.back(), EPOLL_CTL_ADD, inner, &event) != 0) co_return;
      dup2(nested.back(), descriptor);
    }
  }
  int descriptor;
  std::vector<int> nested{epoll_create1(EPOLL_CLOEXEC)};
};

TEST(Transport, ClosesADescriptorThatTheLoopDoesNotTakeBack) {
  boost::asio::io_context loop{1};
  tcp::acceptor acceptor(loop, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  tcp::socket peer(loop);
  peer.connect(acceptor.local_endpoint());
  const auto transport = std::make_shared<Transport>(acceptor.accept());
  const int descriptor = transport->socket().native_handle();
  RefusedDescriptor pace(descriptor);
  transport->set_pace(&pace);
  boost::asio::write(peer, boost::asio::buffer("x", 1));
  EXPECT_EQ(run(loop, transport->wait_readable()), IoError::cancelled);
  EXPECT_EQ(fcntl(descriptor, F_GETFD), -1) << "it is open still";
}

}  // namespace
}  // namespace ccm::net

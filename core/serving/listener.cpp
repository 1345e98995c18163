#include "serving/listener.hpp"

#include "net/dialer.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr int kBacklog = 256;
// The kernel's limit for one client's unread bytes; it doubles the number.
constexpr int kReceiveBuffer = 16 << 10;

error_code open_acceptor(tcp::acceptor* acceptor, const tcp::endpoint& endpoint, bool both_families,
                         bool share_port) {
  error_code error = net::open_socket(*acceptor, endpoint.protocol());
  if (error) return error;
  net::tune_socket(acceptor->native_handle());  // its clients' sockets inherit all of this
  acceptor->native_non_blocking(true, error);
  acceptor->set_option(asio::socket_base::reuse_address(true), error);
  if (!error && share_port) {
    const int on = 1;
    if (::setsockopt(acceptor->native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) {
      error.assign(errno, boost::system::system_category());
    }
  }
  if (!error && both_families) acceptor->set_option(asio::ip::v6_only(false), error);
  if (!error) {
    acceptor->set_option(asio::socket_base::receive_buffer_size(kReceiveBuffer), error);
  }
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(kBacklog, error);
  if (error) {
    error_code ignored;
    acceptor->close(ignored);
  }
  return error;
}

std::string advice(const error_code& error) {
  if (error == asio::error::address_in_use) {
    return "address already in use; stop the other process or choose another --secure-port or "
           "--bind-address";
  }
  if (error == asio::error::access_denied) {
    return "permission denied; ports below 1024 need the capability NET_BIND_SERVICE";
  }
  if (error.value() == EADDRNOTAVAIL) {
    return "this machine does not have the address; choose another --bind-address";
  }
  return error.message();
}

}  // namespace

Result<tcp::acceptor> listen_on(asio::any_io_executor executor, const std::string& address,
                                std::uint16_t port, bool share_port) {
  error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  if (error) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  "cannot listen on \"" + address + "\": --bind-address has to be an IP address");
  }
  tcp::acceptor acceptor(executor);
  if (parsed.is_unspecified()) {
    const tcp::endpoint all(asio::ip::address_v6::any(), port);
    error = open_acceptor(&acceptor, all, true, share_port);
    const bool no_ipv6 =
        error == asio::error::address_family_not_supported || error.value() == EADDRNOTAVAIL;
    if (no_ipv6) {
      const tcp::endpoint only_v4(asio::ip::address_v4::any(), port);
      error = open_acceptor(&acceptor, only_v4, false, share_port);
    }
  } else {
    error = open_acceptor(&acceptor, tcp::endpoint(parsed, port), false, share_port);
  }
  if (!error) return acceptor;
  const std::string host = parsed.is_v6() ? "[" + address + "]" : address;
  return Status(Code::unavailable, ErrorClass::unavailable,
                "cannot listen on " + host + ":" + std::to_string(port) + ": " + advice(error));
}

tcp::socket accept_from(tcp::acceptor& acceptor, tcp::endpoint* from, error_code* error) {
  tcp::socket socket(acceptor.get_executor());
  auto size = static_cast<socklen_t>(from->capacity());
  const int descriptor =
      ::accept4(acceptor.native_handle(), from->data(), &size, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) {
    error->assign(errno, boost::system::system_category());
    return socket;
  }
  from->resize(size);
  socket.assign(from->protocol(), descriptor, *error);
  if (*error) ::close(descriptor);
  return socket;
}

std::string machine_of(const tcp::endpoint& from) {
  const asio::ip::address address = from.address();
  if (address.is_v4()) return address.to_string();
  const asio::ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  return asio::ip::address_v6(bytes).to_string() + "/64";
}

}  // namespace ccm::serving

#include "serving/listener.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <sys/socket.h>

#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

error_code open_socket(tcp::acceptor* acceptor, const tcp::endpoint& endpoint, bool both_families,
                       bool share_port) {
  error_code error;
  acceptor->open(endpoint.protocol(), error);
  if (error) return error;
  acceptor->set_option(asio::socket_base::reuse_address(true), error);
  if (!error && share_port) {
    const int on = 1;
    if (::setsockopt(acceptor->native_handle(), SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) {
      error.assign(errno, boost::system::system_category());
    }
  }
  if (!error && both_families) acceptor->set_option(asio::ip::v6_only(false), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
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
    error = open_socket(&acceptor, all, true, share_port);
    const bool no_ipv6 =
        error == asio::error::address_family_not_supported || error.value() == EADDRNOTAVAIL;
    if (no_ipv6) {
      const tcp::endpoint only_v4(asio::ip::address_v4::any(), port);
      error = open_socket(&acceptor, only_v4, false, share_port);
    }
  } else {
    error = open_socket(&acceptor, tcp::endpoint(parsed, port), false, share_port);
  }
  if (!error) return acceptor;
  const std::string host = parsed.is_v6() ? "[" + address + "]" : address;
  return Status(Code::unavailable, ErrorClass::unavailable,
                "cannot listen on " + host + ":" + std::to_string(port) + ": " + advice(error));
}

}  // namespace ccm::serving

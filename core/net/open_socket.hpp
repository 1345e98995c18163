// Opens TCP sockets that no child process inherits, as Asio's own open() would let them.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

namespace ccm::net {

// `Socket`: tcp::socket or tcp::acceptor, not open.
template <typename Socket>
boost::system::error_code open_socket(Socket& socket, const boost::asio::ip::tcp& protocol) {
  boost::system::error_code error;
  const int descriptor =
      ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol.protocol());
  if (descriptor < 0) return {errno, boost::system::system_category()};
  socket.assign(protocol, descriptor, error);
  if (error) ::close(descriptor);
  return error;
}

}  // namespace ccm::net

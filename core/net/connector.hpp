// Makes connections: name lookup and TCP, proxy, TLS, until they are ready for HTTP.
#pragma once

#include "net/connection_pool.hpp"
#include "net/http_client.hpp"
#include "net/proxy.hpp"
#include "net/tls_context.hpp"
#include "net/transport.hpp"
#include "net/url.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

namespace ccm::net {

// All addresses of a name are tried, the families alternately.
//
// A connected transport with TCP_NODELAY and keep-alive (30 s, API-100). A new address is tried
// every 300 ms while the earlier ones do not answer (RFC 8305), at once when one fails; the first
// that connects wins. Dials of one host at a time share its lookup, so `executor` must run on one
// thread. Failures: unavailable (name not found, refused by all), deadline_exceeded, cancelled. The
// message names host, port and the last address's error.
boost::asio::awaitable<Result<std::shared_ptr<Transport>>> dial(
    boost::asio::any_io_executor executor, std::string host, std::uint16_t port,
    Transport::TimePoint deadline);

// TCP_NODELAY, and keep-alive that notices a dead peer after about a minute.
void tune_socket(int descriptor);

// Opens a TCP socket that no child process inherits, as Asio's own open() would let it. `Socket`:
// tcp::socket or tcp::acceptor, not open.
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

// For the HTTP client, and for the port forwarding of ccmctl.
class Connector {
 public:
  using TimePoint = Transport::TimePoint;

  Connector(boost::asio::any_io_executor executor, const ClientOptions& options);

  void set_tls(const TlsOptions& tls);
  [[nodiscard]] Status check() const { return tls_status_.ok() ? proxy_status_ : tls_status_; }

  // Within `deadline` and the limits for its steps: 30 s until a connection, and the options' for a
  // handshake.
  boost::asio::awaitable<Result<std::unique_ptr<Connection>>> connect(Url target,
                                                                      TimePoint deadline);

 private:
  boost::asio::awaitable<Status> start_tls(std::shared_ptr<Transport> transport,
                                           std::shared_ptr<TlsContext> tls, std::string host,
                                           std::string key, TimePoint deadline);

  boost::asio::any_io_executor executor_;
  std::chrono::milliseconds handshake_timeout_;
  std::shared_ptr<TlsContext> tls_;
  Status tls_status_;
  ProxySettings proxies_;
  Status proxy_status_;
};

}  // namespace ccm::net

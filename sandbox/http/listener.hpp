#pragma once

#include "http/message.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include <cstdint>

namespace sandbox::http {

// Accepts connections on 127.0.0.1 and serves them until the io_context stops.
class Listener {
 public:
  // Port 0 takes any free one. Throws boost::system::system_error if the port is taken.
  Listener(boost::asio::io_context& context, std::uint16_t port, boost::asio::ssl::context* tls,
           Handler& handler);
  std::uint16_t port() const;
  void start();

 private:
  boost::asio::awaitable<void> accept_loop();

  boost::asio::ip::tcp::acceptor acceptor_;
  boost::asio::ssl::context* tls_;
  Handler& handler_;
};

}  // namespace sandbox::http

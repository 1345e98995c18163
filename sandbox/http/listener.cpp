#include "http/listener.hpp"

#include "http/connection.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace sandbox::http {

namespace asio = boost::asio;
using asio::ip::tcp;

Listener::Listener(asio::io_context& context, std::uint16_t port, asio::ssl::context* tls,
                   Handler& handler)
    : acceptor_(context), tls_(tls), handler_(handler) {
  tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
  acceptor_.open(endpoint.protocol());
  acceptor_.set_option(tcp::acceptor::reuse_address(true));
  acceptor_.bind(endpoint);
  acceptor_.listen(1024);
}

std::uint16_t Listener::port() const { return acceptor_.local_endpoint().port(); }

void Listener::start() { asio::co_spawn(acceptor_.get_executor(), accept_loop(), asio::detached); }

asio::awaitable<void> Listener::accept_loop() {
  for (;;) {
    boost::system::error_code error;
    tcp::socket socket =
        co_await acceptor_.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (error == asio::error::operation_aborted) co_return;
    if (error) {
      // Out of descriptors: let some connections end before the next attempt.
      asio::steady_timer pause(acceptor_.get_executor(), std::chrono::milliseconds(50));
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    asio::co_spawn(acceptor_.get_executor(), serve_connection(std::move(socket), tls_, handler_),
                   asio::detached);
  }
}

}  // namespace sandbox::http

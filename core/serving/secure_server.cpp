#include "serving/secure_server.hpp"

#include "base/log.hpp"
#include "net/dialer.hpp"
#include "serving/listener.hpp"
#include "serving/secure_connection.hpp"
#include "serving/serving_certificates.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <list>
#include <optional>
#include <utility>

namespace ccm::serving {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {
constexpr std::chrono::milliseconds kAcceptAgainAfter{200};
}

struct SecureServer::Impl {
  using Connections = std::list<SecureConnection>;

  Impl(asio::any_io_executor home, ServingOptions given, std::shared_ptr<Site> pages)
      : executor(std::move(home)),
        options(std::move(given)),
        site(std::move(pages)),
        certificates(options),
        pause(executor) {}

  // Takes a connection out of the list however its coroutine ends.
  struct Entry {
    Entry(std::shared_ptr<Impl> owner, std::shared_ptr<net::Transport> transport)
        : impl(std::move(owner)) {
      position = impl->connections.emplace(impl->connections.end(), std::move(transport),
                                           impl->options, *impl->site, impl->unread);
    }
    ~Entry() { impl->connections.erase(position); }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    std::shared_ptr<Impl> impl;
    Connections::iterator position;
  };

  static asio::awaitable<void> serve(std::shared_ptr<Impl> impl,
                                     std::shared_ptr<net::Transport> transport) {
    const Entry entry(impl, std::move(transport));
    net::TlsSession session = impl->certificates.new_session();
    co_await entry.position->run(std::move(session));
  }

  static asio::awaitable<void> accept_all(std::shared_ptr<Impl> impl) {
    while (impl->acceptor && impl->acceptor->is_open()) {
      auto [error, socket] =
          co_await impl->acceptor->async_accept(asio::as_tuple(asio::use_awaitable));
      if (!impl->acceptor->is_open()) break;
      if (error) {
        co_await impl->wait_after(error);
        continue;
      }
      net::tune_socket(socket.native_handle());
      impl->make_room();
      auto transport = std::make_shared<net::Transport>(std::move(socket));
      asio::co_spawn(impl->executor, serve(impl, std::move(transport)), asio::detached);
    }
  }

  // Out of descriptors, mostly: accepting again at once would spin.
  asio::awaitable<void> wait_after(error_code error) {
    if (error == asio::error::connection_aborted || error == asio::error::operation_aborted) {
      co_return;
    }
    log::warning("cannot accept a connection", {{"err", error.message()}});
    pause.expires_after(kAcceptAgainAfter);
    co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }

  // Closes the client that has been silent for longest; one whose request is being looked at only
  // when all are.
  void make_room() {
    SecureConnection* oldest = nullptr;
    std::size_t open = 0;
    for (SecureConnection& connection : connections) {
      if (connection.closing()) continue;
      ++open;
      const bool idler = oldest != nullptr && oldest->busy() && !connection.busy();
      const bool as_idle = oldest == nullptr || oldest->busy() == connection.busy();
      if (idler ||
          (as_idle && (oldest == nullptr || connection.last_request() < oldest->last_request()))) {
        oldest = &connection;
      }
    }
    if (open >= options.max_connections && oldest != nullptr) oldest->close();
  }

  void stop() {
    error_code ignored;
    if (acceptor) acceptor->close(ignored);
    pause.cancel();
    for (SecureConnection& connection : connections) connection.close();
  }

  asio::any_io_executor executor;
  ServingOptions options;
  std::shared_ptr<Site> site;
  ServingCertificates certificates;
  std::optional<tcp::acceptor> acceptor;
  std::uint16_t port = 0;
  asio::steady_timer pause;
  std::size_t unread = 0;
  Connections connections;
};

SecureServer::SecureServer(asio::any_io_executor executor, ServingOptions options,
                           std::shared_ptr<Site> site)
    : impl_(std::make_shared<Impl>(std::move(executor), std::move(options), std::move(site))) {}

SecureServer::~SecureServer() { stop(); }

Status SecureServer::start() {
  if (impl_->options.port == 0 && !impl_->options.any_port) return {};
  if (Status status = impl_->certificates.load(); !status.ok()) return status;
  const std::uint16_t wanted = impl_->options.any_port ? 0 : impl_->options.port;
  Result<tcp::acceptor> acceptor = listen_on(impl_->executor, impl_->options.bind_address, wanted,
                                             impl_->options.permit_port_sharing);
  if (!acceptor.ok()) return acceptor.status();
  impl_->acceptor.emplace(std::move(*acceptor));
  error_code ignored;
  impl_->port = impl_->acceptor->local_endpoint(ignored).port();
  asio::co_spawn(impl_->executor, Impl::accept_all(impl_), asio::detached);
  log::info("serving securely", {{"address", impl_->options.bind_address}, {"port", impl_->port}});
  return {};
}

std::uint16_t SecureServer::port() const { return impl_->port; }

std::size_t SecureServer::connections() const { return impl_->connections.size(); }

void SecureServer::stop() { impl_->stop(); }

}  // namespace ccm::serving

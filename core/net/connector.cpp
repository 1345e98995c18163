#include "net/connector.hpp"

#include "net/dialer.hpp"
#include "net/http_exchange.hpp"
#include "net/proxy.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace ccm::net {

namespace asio = boost::asio;
using std::chrono::steady_clock;

Connector::Connector(asio::any_io_executor executor, const ClientOptions& options)
    : executor_(std::move(executor)),
      connect_timeout_(options.connect_timeout),
      handshake_timeout_(options.tls_handshake_timeout) {
  set_tls(options.tls);
  Result<ProxySettings> proxies =
      ProxySettings::make(options.proxy_url, options.proxy_from_environment,
                          [](const char* name) -> const char* { return std::getenv(name); });
  proxy_status_ = proxies.status();
  if (proxies.ok()) proxies_ = std::move(proxies).value();
}

void Connector::set_tls(const TlsOptions& tls) {
  Result<std::shared_ptr<TlsContext>> made = TlsContext::make(tls);
  tls_status_ = made.status();
  tls_ = made.ok() ? *made : nullptr;
}

Status Connector::check() const { return tls_status_.ok() ? proxy_status_ : tls_status_; }

static Status tls_failure(const Transport& transport, IoError error, const std::string& authority) {
  if (transport.verification_failed()) {
    return Status(Code::unauthenticated, ErrorClass::auth,
                  "cannot trust " + authority + ": " + transport.error_text());
  }
  if (error != IoError::tls) return io_failure(transport, error, "in the TLS handshake");
  const std::string& text = transport.error_text();
  if (refuses_our_certificate(text)) return io_failure(transport, error, "in the TLS handshake");
  if (text.find("wrong version number") != std::string::npos ||
      text.find("http request") != std::string::npos) {
    return Status(Code::unavailable, ErrorClass::unavailable,
                  authority + " does not speak TLS (" + text + ")");
  }
  return Status(Code::unavailable, ErrorClass::unavailable, "TLS handshake failed: " + text);
}

asio::awaitable<Status> Connector::start_tls(std::shared_ptr<Transport> transport,
                                             std::shared_ptr<TlsContext> tls, std::string host,
                                             std::string key, TimePoint deadline) {
  Result<TlsSession> session = tls->connect_to(host, key);
  if (!session.ok()) co_return session.status();
  transport->set_deadline(std::min(deadline, steady_clock::now() + handshake_timeout_));
  const IoResult result = co_await transport->handshake(std::move(*session));
  if (result.error == IoError::none) co_return Status();
  co_return tls_failure(*transport, result.error, key);
}

asio::awaitable<Result<std::unique_ptr<Connection>>> Connector::connect(Url target,
                                                                        TimePoint deadline) {
  if (!proxy_status_.ok()) co_return proxy_status_;
  const std::optional<Url> proxy = proxies_.proxy_for(target);
  const bool secure = target.scheme == "https";
  const bool proxy_secure = proxy && proxy->scheme == "https";
  const std::shared_ptr<TlsContext> tls = tls_;
  if (!tls && (secure || proxy_secure)) co_return tls_status_;

  const Url next = proxy.value_or(target);
  const auto dial_deadline = std::min(deadline, steady_clock::now() + connect_timeout_);
  Result<std::shared_ptr<Transport>> dialed =
      co_await dial(executor_, next.host, next.port, dial_deadline);
  if (!dialed.ok()) {
    co_return proxy ? dialed.status().with_context("proxy") : dialed.status();
  }
  auto connection = std::make_unique<Connection>();
  connection->transport = *dialed;
  Status status;
  if (proxy_secure) {
    const std::string key = next.authority();
    status = co_await start_tls(connection->transport, tls, next.host, key, deadline);
    if (!status.ok()) co_return status.with_context("proxy");
  }
  if (proxy) {
    connection->transport->set_deadline(dial_deadline);
    if (proxy->scheme == "socks5" || proxy->scheme == "socks5h") {
      status = co_await socks5_tunnel(connection->transport, next, target);
    } else if (secure) {
      status = co_await connect_tunnel(connection->transport, next, target);
    } else {
      connection->absolute_form = true;
      connection->proxy_authorization = basic_authorization(next);
    }
    if (!status.ok()) co_return status.with_context("proxy " + next.authority());
  }
  if (secure) {
    const std::string key = target.authority();
    status = co_await start_tls(connection->transport, tls, target.host, key, deadline);
    if (!status.ok()) co_return status;
  }
  co_return connection;
}

}  // namespace ccm::net

// Makes connections that are ready for HTTP: dial, proxy, TLS. For net, and for kube's port
// forwarding.
#pragma once

#include "net/connection_pool.hpp"
#include "net/http_client.hpp"
#include "net/proxy.hpp"
#include "net/tls_context.hpp"
#include "net/url.hpp"

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <memory>

namespace ccm::net {

class Connector {
 public:
  using TimePoint = Transport::TimePoint;

  Connector(boost::asio::any_io_executor executor, const ClientOptions& options);

  void set_tls(const TlsOptions& tls);
  [[nodiscard]] Status check() const;

  // Within `deadline` and the limits for its steps.
  boost::asio::awaitable<Result<std::unique_ptr<Connection>>> connect(Url target,
                                                                      TimePoint deadline);

 private:
  boost::asio::awaitable<Status> start_tls(std::shared_ptr<Transport> transport,
                                           std::shared_ptr<TlsContext> tls, std::string host,
                                           std::string key, TimePoint deadline);

  boost::asio::any_io_executor executor_;
  std::chrono::milliseconds connect_timeout_;
  std::chrono::milliseconds handshake_timeout_;
  std::shared_ptr<TlsContext> tls_;
  Status tls_status_;
  ProxySettings proxies_;
  Status proxy_status_;
};

}  // namespace ccm::net

// The proxy for a URL: the options' one, or that of the environment (API-100), and the way through
// it: CONNECT (RFC 9110 9.3.6) or SOCKS5 (RFC 1928, 1929).
#pragma once

#include "net/transport.hpp"
#include "net/url.hpp"

#include <ccm/cidr.hpp>
#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::net {

// The list in NO_PROXY: names, suffixes, addresses, CIDRs, each with an optional port; "*" = all.
class NoProxy {
 public:
  NoProxy() = default;
  explicit NoProxy(std::string_view list);

  // `host` as in Url: lower case, no brackets.
  [[nodiscard]] bool matches(std::string_view host, std::uint16_t port) const;

 private:
  struct Rule {
    std::optional<Cidr> range;  // for addresses; without one it is a rule for names
    std::string suffix;         // a name's; starts with a dot
    bool apex = false;          // the name without its dot matches too
    std::uint16_t port = 0;     // 0 = any
  };
  void add(std::string_view entry);
  bool all_ = false;
  std::vector<Rule> rules_;
};

class ProxySettings {
 public:
  using Environment = std::function<const char*(const char*)>;

  ProxySettings() = default;  // none

  // An explicit URL wins over the environment and has no exceptions.
  // Fails with invalid_argument for a URL that is not a proxy's.
  static Result<ProxySettings> make(const std::string& proxy_url, bool from_environment,
                                    const Environment& environment);

  // The proxy for a target, if any. Loopback targets ignore the environment's proxy.
  [[nodiscard]] std::optional<Url> proxy_for(const Url& target) const;

 private:
  bool everything_ = false;  // given by the options
  std::optional<Url> http_;
  std::optional<Url> https_;
  NoProxy no_proxy_;
};

// The value of a Proxy-Authorization header; empty without a user.
[[nodiscard]] std::string basic_authorization(const Url& proxy);

// Makes the transport, connected to an HTTP proxy, a tunnel to `target`.
boost::asio::awaitable<Status> connect_tunnel(std::shared_ptr<Transport> transport, Url proxy,
                                              Url target);

// Makes it one with SOCKS5. The proxy resolves the name.
boost::asio::awaitable<Status> socks5_tunnel(std::shared_ptr<Transport> transport, Url proxy,
                                             Url target);

}  // namespace ccm::net

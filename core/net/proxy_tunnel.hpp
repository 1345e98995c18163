// Through a proxy to a target: CONNECT (RFC 9110 9.3.6) and SOCKS5 (RFC 1928, 1929). Internal.
#pragma once

#include "net/transport.hpp"
#include "net/url.hpp"

#include <ccm/status.hpp>

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace ccm::net {

// Makes the transport, connected to an HTTP proxy, a tunnel to `target`.
boost::asio::awaitable<Status> connect_tunnel(std::shared_ptr<Transport> transport, Url proxy,
                                              Url target);

// The same with SOCKS5. The proxy resolves the name.
boost::asio::awaitable<Status> socks5_tunnel(std::shared_ptr<Transport> transport, Url proxy,
                                             Url target);

}  // namespace ccm::net

// Opening the listening socket, and taking clients from it. Internal to serving.
#pragma once

#include <ccm/status.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>

namespace ccm::serving {

// An unspecified address listens on all families where the machine has IPv6 (HOST-51). Failures:
// invalid_argument for what is no address, unavailable when it cannot be had; the message says
// what to do.
Result<boost::asio::ip::tcp::acceptor> listen_on(boost::asio::any_io_executor executor,
                                                 const std::string& address, std::uint16_t port,
                                                 bool share_port);

// A waiting client; with the error would_block when there is none.
boost::asio::ip::tcp::socket accept_from(boost::asio::ip::tcp::acceptor& acceptor,
                                         boost::asio::ip::tcp::endpoint* from,
                                         boost::system::error_code* error);

// The common part of one machine's addresses: of IPv6 the first 64 bits.
std::string machine_of(const boost::asio::ip::tcp::endpoint& from);

}  // namespace ccm::serving

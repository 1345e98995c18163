#pragma once

#include "http/message.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

namespace sandbox::http {

// Bodies above this are answered with Request::body_too_large set and an empty body.
inline constexpr std::size_t kBodyLimit = 3 * 1024 * 1024;

// Serves one accepted connection until either side ends it: HTTP/1.1 with keep-alive, streamed
// bodies chunked. `tls` null means plain TCP. `handler` and `tls` must outlive the io_context's
// coroutines.
boost::asio::awaitable<void> serve_connection(boost::asio::ip::tcp::socket socket,
                                              boost::asio::ssl::context* tls, Handler& handler);

}  // namespace sandbox::http

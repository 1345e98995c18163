#include "net/proxy_tunnel.hpp"

#include "net/http_exchange.hpp"
#include "net/proxy_settings.hpp"

#include <boost/asio/ip/address.hpp>

#include <utility>

namespace ccm::net {

namespace asio = boost::asio;

namespace {

constexpr std::string_view kSocksProblems[] = {
    "",
    "general failure",
    "not allowed by its rules",
    "network unreachable",
    "host unreachable",
    "connection refused",
    "time to live expired",
    "command not supported",
    "address type not supported",
};

Status unavailable(std::string message) {
  return Status(Code::unavailable, ErrorClass::unavailable, std::move(message));
}

asio::awaitable<Status> send_all(std::shared_ptr<Transport> transport, std::string bytes) {
  const IoResult sent = co_await transport->write(bytes);
  if (sent.error == IoError::none) co_return Status();
  co_return io_failure(*transport, sent.error, "talking to the proxy");
}

// Exactly `size` bytes: the following ones belong to the target.
asio::awaitable<Result<std::string>> receive_exactly(std::shared_ptr<Transport> transport,
                                                     std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const IoResult got = co_await transport->read_some(bytes.data() + have, size - have);
    if (got.error != IoError::none) {
      co_return io_failure(*transport, got.error, "talking to the proxy");
    }
    have += got.bytes;
  }
  co_return bytes;
}

std::string socks_request(const Url& target) {
  std::string request("\x05\x01\x00", 3);
  boost::system::error_code not_literal;
  const auto address = asio::ip::make_address(target.host, not_literal);
  if (not_literal) {
    request += '\x03';
    request += static_cast<char>(target.host.size());
    request += target.host;
  } else if (address.is_v4()) {
    request += '\x01';
    for (const unsigned char byte : address.to_v4().to_bytes()) {
      request += static_cast<char>(byte);
    }
  } else {
    request += '\x04';
    for (const unsigned char byte : address.to_v6().to_bytes()) {
      request += static_cast<char>(byte);
    }
  }
  request += static_cast<char>(target.port >> 8);
  request += static_cast<char>(target.port & 0xff);
  return request;
}

asio::awaitable<Status> socks_authenticate(std::shared_ptr<Transport> transport, Url proxy) {
  if (proxy.user.size() > 255 || proxy.password.size() > 255) {
    co_return Status(Code::invalid_argument, "proxy user or password is longer than 255 bytes");
  }
  std::string message("\x01", 1);
  message += static_cast<char>(proxy.user.size());
  message += proxy.user;
  message += static_cast<char>(proxy.password.size());
  message += proxy.password;
  Status status = co_await send_all(transport, message);
  if (!status.ok()) co_return status;
  const Result<std::string> answer = co_await receive_exactly(transport, 2);
  if (!answer.ok()) co_return answer.status();
  if ((*answer)[1] == '\0') co_return Status();
  co_return Status(Code::unauthenticated, ErrorClass::auth,
                   "the SOCKS5 proxy refused user and password");
}

}  // namespace

asio::awaitable<Status> connect_tunnel(std::shared_ptr<Transport> transport, Url proxy,
                                       Url target) {
  const std::string authority = target.authority();
  std::string head = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
  const std::string authorization = basic_authorization(proxy);
  if (!authorization.empty()) head += "Proxy-Authorization: " + authorization + "\r\n";
  head += "\r\n";
  Status status = co_await send_all(transport, head);
  if (!status.ok()) co_return status;

  // Byte-wise parsing is slow, but this happens once a connection, and bytes after the header
  // already belong to the target; a proxy sends nothing of its own before we do.
  ResponseParser parser(true, 0);
  std::string received;
  char piece[2048];
  while (!parser.is_done()) {
    const IoResult got = co_await transport->read_some(piece, sizeof piece);
    if (got.error != IoError::none) {
      co_return io_failure(*transport, got.error, "waiting for the proxy's answer");
    }
    received.append(piece, got.bytes);
    const Result<std::size_t> consumed = parser.feed(received);
    if (!consumed.ok()) co_return consumed.status().with_context("proxy");
    received.erase(0, *consumed);
  }
  const unsigned code = parser.response.status;
  if (code == 407) {
    co_return Status(Code::unauthenticated, ErrorClass::auth,
                     "the proxy wants other credentials (407)");
  }
  if (code / 100 != 2) {
    co_return unavailable("the proxy refused to connect to " + authority + " (" +
                          std::to_string(code) + ")");
  }
  if (!received.empty()) co_return unavailable("the proxy sent bytes before the target could");
  co_return Status();
}

asio::awaitable<Status> socks5_tunnel(std::shared_ptr<Transport> transport, Url proxy, Url target) {
  if (target.host.size() > 255) {
    co_return Status(Code::invalid_argument, "the host name is too long for SOCKS5");
  }
  const std::string greeting =
      proxy.has_user ? std::string("\x05\x02\x00\x02", 4) : std::string("\x05\x01\x00", 3);
  Status status = co_await send_all(transport, greeting);
  if (!status.ok()) co_return status;
  const Result<std::string> method = co_await receive_exactly(transport, 2);
  if (!method.ok()) co_return method.status();
  if ((*method)[0] != '\x05') co_return unavailable("the proxy does not speak SOCKS5");
  if ((*method)[1] == '\x02' && proxy.has_user) {
    status = co_await socks_authenticate(transport, proxy);
    if (!status.ok()) co_return status;
  } else if ((*method)[1] != '\0') {
    co_return Status(Code::unauthenticated, ErrorClass::auth,
                     "the SOCKS5 proxy wants another kind of authentication");
  }

  const std::string request = socks_request(target);
  status = co_await send_all(transport, request);
  if (!status.ok()) co_return status;
  const Result<std::string> answer = co_await receive_exactly(transport, 5);
  if (!answer.ok()) co_return answer.status();
  const auto code = static_cast<unsigned char>((*answer)[1]);
  if (code != 0) {
    const std::string why(code < std::size(kSocksProblems) ? kSocksProblems[code] : "unknown");
    co_return unavailable("the SOCKS5 proxy cannot connect to " + target.authority() + ": " + why);
  }
  // The address that the proxy uses follows; its first byte was among the five.
  const char kind = (*answer)[3];
  std::size_t rest = 4 - 1 + 2;
  if (kind == '\x04') rest = 16 - 1 + 2;
  if (kind == '\x03') rest = static_cast<unsigned char>((*answer)[4]) + std::size_t{2};
  const Result<std::string> bound = co_await receive_exactly(transport, rest);
  co_return bound.status();
}

}  // namespace ccm::net

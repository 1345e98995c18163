#include "net/proxy.hpp"

#include "net/http_exchange.hpp"

#include <ccm/base64.hpp>
#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <charconv>
#include <ranges>
#include <utility>

namespace ccm::net {
namespace asio = boost::asio;

namespace {

// A mapped IPv4 address counts as IPv4.
std::optional<Cidr> range_of(std::string_view host, std::string_view prefix = {}) {
  auto address = address_of(host);
  if (!address) return std::nullopt;
  if (address->is_v6() && address->to_v6().is_v4_mapped()) {
    address = asio::ip::make_address_v4(asio::ip::v4_mapped, address->to_v6());
  }
  if (prefix.empty()) prefix = address->is_v4() ? "32" : "128";
  return parse_cidr(address->to_string() + "/" + std::string(prefix));
}

std::optional<std::uint16_t> port_number(std::string_view text) {
  std::uint16_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

Result<Url> parse_proxy(const std::string& text, std::string_view source) {
  Result<Url> url = parse_url(text.find("://") == std::string::npos ? "http://" + text : text);
  if (!url.ok()) return url.status().with_context(source);
  return url;
}

std::string first_of(const ProxySettings::Environment& environment, const char* upper,
                     const char* lower) {
  const char* value = environment(upper);
  if (value == nullptr || *value == '\0') value = environment(lower);
  return value == nullptr ? std::string() : std::string(trim(value, kBlanks));
}

}  // namespace

NoProxy::NoProxy(std::string_view list) {
  for (const auto entry : std::views::split(list, ',')) {
    add(trim(std::string_view(entry.begin(), entry.end()), kBlanks));
  }
}

void NoProxy::add(std::string_view entry) {
  if (entry.empty()) return;
  if (entry == "*") {
    all_ = true;
    return;
  }
  Rule rule;
  if (const auto slash = entry.find('/'); slash != std::string_view::npos) {
    if (slash + 1 < entry.size()) {
      rule.range = range_of(entry.substr(0, slash), entry.substr(slash + 1));
    }
    if (rule.range) rules_.push_back(std::move(rule));  // else nothing could ever match
    return;
  }
  std::string_view host = entry;
  const bool bracketed = host.front() == '[';
  const auto colon = host.rfind(':');
  const bool bare_v6 = !bracketed && host.find(':') != colon;
  if (colon != std::string_view::npos && !bare_v6 && (!bracketed || host[colon - 1] == ']')) {
    const auto port = port_number(host.substr(colon + 1));
    if (!port) return;
    rule.port = *port;
    host = host.substr(0, colon);
  }
  if (bracketed && host.size() >= 2) host = host.substr(1, host.size() - 2);
  rule.range = range_of(host);
  if (!rule.range) {
    if (host.substr(0, 2) == "*.") host.remove_prefix(1);
    if (host.size() > 1 && host.back() == '.') host.remove_suffix(1);  // as matches() does
    rule.apex = !host.empty() && host.front() != '.';
    if (rule.apex) rule.suffix.push_back('.');
    rule.suffix += lower_case(host);
    if (rule.suffix.size() < 2) return;
  }
  rules_.push_back(std::move(rule));
}

bool NoProxy::matches(std::string_view host, std::uint16_t port) const {
  if (all_) return true;
  if (!host.empty() && host.back() == '.') host.remove_suffix(1);
  const std::optional<Cidr> address = range_of(host);
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    if (rule.port != 0 && rule.port != port) return false;
    if (rule.range) return address && rule.range->contains(*address);
    const std::string_view suffix = rule.suffix;
    if (host.size() > suffix.size() && host.substr(host.size() - suffix.size()) == suffix) {
      return true;
    }
    return rule.apex && host == suffix.substr(1);
  });
}

Result<ProxySettings> ProxySettings::make(const std::string& proxy_url, bool from_environment,
                                          const Environment& environment) {
  ProxySettings result;
  if (!proxy_url.empty()) {
    const Result<Url> url = parse_proxy(proxy_url, "proxy");
    if (!url.ok()) return url.status();
    result.everything_ = true;
    result.http_ = result.https_ = *url;
    return result;
  }
  if (!from_environment) return result;
  // A CGI server passes a client's "Proxy:" header as HTTP_PROXY; such a process must not trust it.
  const char* cgi = environment("REQUEST_METHOD");
  const bool trusted = cgi == nullptr || *cgi == '\0';
  const auto read = [&](const char* upper, const char* lower, std::optional<Url>& proxy) {
    const std::string text = first_of(environment, upper, lower);
    if (text.empty()) return Status();
    const Result<Url> url = parse_proxy(text, upper);
    if (url.ok()) proxy = *url;
    return url.status();
  };
  Status status = trusted ? read("HTTP_PROXY", "http_proxy", result.http_) : Status();
  if (status.ok()) status = read("HTTPS_PROXY", "https_proxy", result.https_);
  if (!status.ok()) return status;
  result.no_proxy_ = NoProxy(first_of(environment, "NO_PROXY", "no_proxy"));
  return result;
}

std::optional<Url> ProxySettings::proxy_for(const Url& target) const {
  const std::optional<Url>& proxy = target.scheme == "https" ? https_ : http_;
  if (!proxy || everything_) return proxy;
  if (is_loopback(target.host) || no_proxy_.matches(target.host, target.port)) return {};
  return proxy;
}

std::string basic_authorization(const Url& proxy) {
  if (!proxy.has_user) return {};
  return "Basic " + base64_encode(proxy.user + ":" + proxy.password);
}

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
  const auto append = [&request](char kind, const auto& bytes) {
    request += kind;
    request.append(bytes.begin(), bytes.end());
  };
  const auto address = address_of(target.host);
  if (!address) {
    append('\x03', static_cast<char>(target.host.size()) + target.host);
  } else if (address->is_v4()) {
    append('\x01', address->to_v4().to_bytes());
  } else {
    append('\x04', address->to_v6().to_bytes());
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

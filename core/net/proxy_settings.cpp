#include "net/proxy_settings.hpp"

#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <arpa/inet.h>
#include <openssl/evp.h>

#include <algorithm>
#include <charconv>

namespace ccm::net {
namespace {

// 4 or 16 bytes; empty when it is no address. A mapped IPv4 address counts as IPv4.
std::string address_bytes(std::string_view text) {
  const std::string address(text.substr(0, text.find('%')));
  char bytes[16] = {};
  if (inet_pton(AF_INET, address.c_str(), bytes) == 1) return std::string(bytes, 4);
  if (inet_pton(AF_INET6, address.c_str(), bytes) != 1) return {};
  constexpr std::string_view kMapped("\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
  if (std::string_view(bytes, 12) == kMapped) return std::string(bytes + 12, 4);
  return std::string(bytes, 16);
}

bool in_prefix(std::string_view address, std::string_view network, unsigned bits) {
  if (address.size() != network.size()) return false;
  for (std::size_t i = 0; i < address.size() && bits > 0; ++i) {
    const unsigned here = std::min(bits, 8u);
    const unsigned mask = (0xff00u >> here) & 0xffu;
    if (((static_cast<unsigned char>(address[i]) ^ static_cast<unsigned char>(network[i])) &
         mask) != 0) {
      return false;
    }
    bits -= here;
  }
  return true;
}

std::optional<unsigned> number(std::string_view text, unsigned limit) {
  unsigned value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size() || value > limit) return {};
  return value;
}

Result<Url> parse_proxy(const std::string& text, std::string_view source) {
  const bool bare = text.find("://") == std::string::npos;
  Result<Url> url = parse_url(bare ? "http://" + text : text);
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
  while (!list.empty()) {
    const auto comma = list.find(',');
    add(trim(list.substr(0, comma), kBlanks));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
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
    rule.address_bytes = address_bytes(entry.substr(0, slash));
    const auto limit = static_cast<unsigned>(rule.address_bytes.size() * 8);
    const auto bits = number(entry.substr(slash + 1), limit);
    if (rule.address_bytes.empty() || !bits) return;  // nothing that could ever match
    rule.prefix_bits = *bits;
    rules_.push_back(std::move(rule));
    return;
  }
  std::string_view host = entry;
  const bool bracketed = host.front() == '[';
  const auto colon = host.rfind(':');
  const bool bare_v6 = !bracketed && host.find(':') != colon;
  if (colon != std::string_view::npos && !bare_v6 && (!bracketed || host[colon - 1] == ']')) {
    const auto port = number(host.substr(colon + 1), 65535);
    if (!port) return;
    rule.port = static_cast<std::uint16_t>(*port);
    host = host.substr(0, colon);
  }
  if (bracketed && host.size() >= 2) host = host.substr(1, host.size() - 2);
  rule.address_bytes = address_bytes(host);
  if (!rule.address_bytes.empty()) {
    rule.prefix_bits = static_cast<unsigned>(rule.address_bytes.size() * 8);
  } else {
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
  const std::string address = address_bytes(host);
  return std::any_of(rules_.begin(), rules_.end(), [&](const Rule& rule) {
    if (rule.port != 0 && rule.port != port) return false;
    if (!rule.address_bytes.empty()) {
      return !address.empty() && in_prefix(address, rule.address_bytes, rule.prefix_bits);
    }
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
  const std::string plain = proxy.user + ":" + proxy.password;
  std::string encoded(4 * ((plain.size() + 2) / 3) + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(encoded.data()),
                                     reinterpret_cast<const unsigned char*>(plain.data()),
                                     static_cast<int>(plain.size()));
  encoded.resize(static_cast<std::size_t>(length));
  return "Basic " + encoded;
}

}  // namespace ccm::net

#include "net/url.hpp"

#include <ccm/lower_case.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace ccm::net {
namespace {

// The byte for which "%XX" stands at the front of the text.
std::optional<char> escaped_byte(std::string_view text) {
  unsigned value = 0;
  if (text.size() < 3 || text.front() != '%') return std::nullopt;
  const char* const end = text.data() + 3;
  if (std::from_chars(text.data() + 1, end, value, 16).ptr != end) return std::nullopt;
  return static_cast<char>(value);
}

bool well_escaped(std::string_view text) {
  for (auto at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    if (!escaped_byte(text.substr(at))) return false;
  }
  return true;
}

// Control characters, blanks and non-ASCII bytes are not allowed in a request line.
bool clean(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > 0x20 && c < 0x7f; });
}

bool valid_name(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
  });
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

// The text from `start` on, without what precedes its last @ before `end`, up to `end`.
std::string without_user(std::string_view text, std::size_t start, std::size_t user_end,
                         std::size_t end) {
  const auto at = text.substr(0, user_end).rfind('@');
  std::string result(text.substr(0, start));
  const auto from = at == std::string_view::npos || at < start ? start : at + 1;
  result += text.substr(from, end - from);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

// The position after the scheme, or 0 when there is none.
std::size_t authority_start(std::string_view text) {
  const auto scheme_end = std::min(text.find("://"), text.size());
  const bool scheme = std::all_of(text.begin(), text.begin() + scheme_end, [](char c) {
    return (lower_case(c) >= 'a' && lower_case(c) <= 'z') || (c >= '0' && c <= '9');
  });
  return scheme && scheme_end != text.size() ? scheme_end + 3 : 0;
}

// A password with an unescaped / ? or # makes a bad URL without a known end: everything up to the
// last @ may be the password, and if that comes late, all of it.
std::string redact_bad_url(std::string_view text) {
  const std::size_t start = authority_start(text);
  const std::size_t query = std::min(text.find_first_of("?#", start), text.size());
  const bool late = text.find('@', query) != std::string_view::npos;
  return late ? without_user(text, start, start, start) : without_user(text, start, query, query);
}

Status bad_url(std::string_view text, std::string_view why) {
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "bad URL \"" + redact_bad_url(text) + "\": " + std::string(why));
}

// Fills host and port from "host", "host:port", "[v6]" or "[v6]:port". Empty text = ok.
std::string_view split_host_port(std::string_view text, Url* url) {
  std::string_view port;
  if (!text.empty() && text.front() == '[') {
    const auto end = text.find(']');
    if (end == std::string_view::npos) return "no ] after the IPv6 address";
    url->host = lower_case(text.substr(1, end - 1));
    if (url->host.find(':') == std::string::npos || !is_ip_literal(url->host)) {
      return "the text in [] is not an IPv6 address";
    }
    port = text.substr(end + 1);
    if (!port.empty() && port.front() != ':') return "unexpected text after ]";
    if (!port.empty()) port.remove_prefix(1);
  } else {
    const auto colon = text.find(':');
    url->host = lower_case(text.substr(0, colon));
    if (url->host.empty()) return "the host is missing";
    if (!valid_name(url->host)) return "the host has a character that host names do not have";
    if (colon != std::string_view::npos) port = text.substr(colon + 1);
    if (port.find(':') != std::string_view::npos) return "an IPv6 address needs [] around it";
  }
  url->port = default_port(url->scheme);
  if (port.empty()) return {};
  unsigned value = 0;
  const auto [rest, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  if (error != std::errc() || rest != port.data() + port.size() || value == 0 || value > 65535) {
    return "the port is not a number from 1 to 65535";
  }
  url->port = static_cast<std::uint16_t>(value);
  return {};
}

}  // namespace

std::string Url::authority() const { return bracketed(host) + ":" + std::to_string(port); }

std::string Url::host_header() const {
  return port == default_port(scheme) ? bracketed(host) : authority();
}

std::uint16_t default_port(std::string_view scheme) {
  if (scheme == "https") return 443;
  if (scheme == "http") return 80;
  if (scheme == "socks5" || scheme == "socks5h") return 1080;
  return 0;
}

std::optional<boost::asio::ip::address> address_of(std::string_view host) {
  boost::system::error_code no_address;
  const std::string text(host.substr(0, host.find('%')));
  const auto address = boost::asio::ip::make_address(text, no_address);
  return no_address ? std::nullopt : std::optional(address);
}

bool is_ip_literal(std::string_view host) {
  const auto address = address_of(host);
  return address && (address->is_v6() || host.find('%') == std::string_view::npos);
}

bool is_loopback(std::string_view host) {
  if (host == "localhost" || host == "localhost.") return true;
  const auto address = address_of(host);
  if (!address || address->is_loopback()) return address.has_value();
  return address->is_v6() && address->to_v6().is_v4_mapped() &&
         address->to_v6().to_bytes()[12] == 127;
}

bool is_link_local(std::string_view host) {
  const auto address = address_of(host);
  if (!address) return false;
  if (address->is_v4()) return address->to_v4().to_uint() >> 16U == 0xA9FE;
  constexpr std::array<unsigned char, 4> kEc2{0xFD, 0x00, 0x0E, 0xC2};
  const auto bytes = address->to_v6().to_bytes();
  return address->to_v6().is_link_local() || std::equal(kEc2.begin(), kEc2.end(), bytes.begin());
}

Result<Url> parse_url(std::string_view text) {
  const auto scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) {
    return bad_url(text, "it has to start with a scheme such as https://");
  }
  Url url;
  url.scheme = lower_case(text.substr(0, scheme_end));
  if (default_port(url.scheme) == 0)
    return bad_url(text, "the scheme must be http, https or socks5");
  if (!clean(text)) return bad_url(text, "it holds a blank, a control or a non-ASCII character");

  std::string_view rest = text.substr(scheme_end + 3);
  rest = rest.substr(0, rest.find('#'));
  const auto authority_end = rest.find_first_of("/?");
  std::string_view authority = rest.substr(0, authority_end);
  if (authority_end != std::string_view::npos) url.target = rest.substr(authority_end);
  if (url.target.empty() || url.target.front() == '?') url.target.insert(0, "/");

  if (const auto at = authority.rfind('@'); at != std::string_view::npos) {
    const std::string_view user_info = authority.substr(0, at);
    if (!well_escaped(user_info)) {
      return bad_url(text, "a % in the user part is not followed by two hex digits");
    }
    const auto colon = user_info.find(':');
    url.has_user = true;
    url.user = percent_decoded(user_info.substr(0, colon));
    if (colon != std::string_view::npos) {
      url.password = percent_decoded(user_info.substr(colon + 1));
    }
    authority.remove_prefix(at + 1);
  }
  if (const auto why = split_host_port(authority, &url); !why.empty()) return bad_url(text, why);
  return url;
}

std::string redact_url(std::string_view text) {
  if (!parse_url(text).ok()) return redact_bad_url(text);
  const std::size_t start = authority_start(text);
  const std::size_t user_end = std::min(text.find_first_of("/?#", start), text.size());
  return without_user(text, start, user_end, std::min(text.find_first_of("?#"), text.size()));
}

std::string percent_decoded(std::string_view text, bool plus_is_space) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const auto byte = escaped_byte(text.substr(at))) {
      plain += *byte;
      at += 2;
    } else {
      plain += plus_is_space && text[at] == '+' ? ' ' : text[at];
    }
  }
  return plain;
}

}  // namespace ccm::net

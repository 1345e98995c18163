#include "ip_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <string>

namespace ccm::node {
namespace {

std::optional<IpAddress> parse_v4(std::string_view text) {
  IpAddress address;
  for (size_t octet_idx = 0; octet_idx < 4; ++octet_idx) {
    const size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (octet_idx == 3)) return std::nullopt;
    const std::string_view octet = text.substr(0, dot);
    if (octet.empty()) return std::nullopt;
    unsigned number = 0;
    for (const char c : octet) {
      if (c < '0' || c > '9') return std::nullopt;
      number = number * 10 + static_cast<unsigned>(c - '0');
      if (number > 255) return std::nullopt;
    }
    address.bytes[octet_idx] = static_cast<uint8_t>(number);
    text.remove_prefix(octet_idx == 3 ? text.size() : dot + 1);
  }
  return address;
}

std::optional<IpAddress> parse_v6(std::string_view text) {
  IpAddress address{true, {}};
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos ||
      inet_pton(AF_INET6, terminated.c_str(), address.bytes.data()) != 1) {
    return std::nullopt;
  }
  constexpr std::array<uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  if (!std::equal(kMapped.begin(), kMapped.end(), address.bytes.begin())) return address;
  IpAddress inner;
  std::copy(address.bytes.begin() + 12, address.bytes.end(), inner.bytes.begin());
  return inner;
}

}  // namespace

bool IpAddress::unspecified() const {
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

std::optional<IpAddress> parse_ip(std::string_view text) {
  return text.find(':') == std::string_view::npos ? parse_v4(text) : parse_v6(text);
}

}  // namespace ccm::node

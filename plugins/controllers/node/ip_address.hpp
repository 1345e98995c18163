// IP addresses as numbers, so that two spellings of one address are equal. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ccm::node {

struct IpAddress {
  bool v6 = false;
  std::array<uint8_t, 16> bytes{};  // IPv4 in the first four

  [[nodiscard]] bool unspecified() const;  // 0.0.0.0 or ::
  bool operator==(const IpAddress&) const = default;
};

// Leading zeros in IPv4 octets are decimal (NODE-34). An IPv6 address that maps an IPv4 one counts
// as that. Nothing for names, zones, spaces and other texts.
std::optional<IpAddress> parse_ip(std::string_view text);

}  // namespace ccm::node

// Address ranges as numbers, and flags that list them. Any thread.
#pragma once

#include <ccm/trim.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm {

using AddressBytes = std::array<uint8_t, 16>;  // network order; IPv4 in the first four

// The number in the bits [first, last) counted from the front; at most 32 of them.
inline uint32_t bit_field(const AddressBytes& bytes, unsigned first, unsigned last) {
  uint32_t field = 0;
  for (unsigned bit = first; bit < last; ++bit) {
    field = field << 1U | ((bytes[bit / 8] >> (7 - bit % 8)) & 1U);
  }
  return field;
}

inline void set_bit_field(AddressBytes& bytes, unsigned first, unsigned last, uint32_t number) {
  for (unsigned bit = last; bit > first; number >>= 1U) {
    --bit;
    const auto mask = static_cast<uint8_t>(1U << (7 - bit % 8));
    auto& byte = bytes[bit / 8];
    byte = static_cast<uint8_t>((number & 1U) != 0 ? byte | mask : byte & ~mask);
  }
}

struct Cidr {
  bool v6 = false;
  AddressBytes network{};  // all bits after the prefix are 0
  unsigned prefix = 0;

  [[nodiscard]] unsigned width() const { return v6 ? 128 : 32; }
  [[nodiscard]] bool contains(const Cidr& other) const {
    if (v6 != other.v6 || prefix > other.prefix) return false;
    const unsigned whole = prefix / 8;
    if (!std::equal(network.begin(), network.begin() + whole, other.network.begin())) return false;
    const unsigned rest = prefix % 8;
    return rest == 0 || ((network[whole] ^ other.network[whole]) >> (8 - rest)) == 0;
  }
  // Two ranges overlap only when one contains the other.
  [[nodiscard]] bool overlaps(const Cidr& other) const {
    return contains(other) || other.contains(*this);
  }
  // "10.244.3.0/24", "fd00:1::/64": as Go writes it.
  [[nodiscard]] std::string text() const {
    std::array<char, INET6_ADDRSTRLEN> buffer{};
    inet_ntop(v6 ? AF_INET6 : AF_INET, network.data(), buffer.data(), buffer.size());
    return std::string(buffer.data()) + "/" + std::to_string(prefix);
  }

  // By family, then by address: ranges that contain others come right before them.
  auto operator<=>(const Cidr&) const = default;
};

namespace detail {

// A decimal number without a sign; nothing above `most`.
inline std::optional<unsigned> decimal(std::string_view digits, unsigned most) {
  if (digits.empty()) return std::nullopt;
  unsigned value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > most) return std::nullopt;
  }
  return value;
}

// inet_pton refuses leading zeros.
inline bool parse_v4(std::string_view text, AddressBytes& bytes) {
  for (size_t octet = 0; octet < 4; ++octet) {
    const size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (octet == 3)) return false;
    const auto value = decimal(text.substr(0, dot), 255);
    if (!value) return false;
    bytes[octet] = static_cast<uint8_t>(*value);
    text.remove_prefix(octet == 3 ? text.size() : dot + 1);
  }
  return true;
}

inline bool parse_v6(std::string_view text, AddressBytes& bytes) {
  const std::string terminated(text);
  return terminated.find('\0') == std::string::npos &&
         inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1;
}

}  // namespace detail

// The range that an address with a prefix length lies in: "10.244.3.7/24" is 10.244.3.0/24. Leading
// zeros in IPv4 numbers are decimal. Nothing for all else, spaces included.
inline std::optional<Cidr> parse_cidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view address = text.substr(0, slash);
  Cidr cidr;
  cidr.v6 = address.find(':') != std::string_view::npos;
  const auto prefix = detail::decimal(text.substr(slash + 1), cidr.width());
  if (!prefix) return std::nullopt;
  if (!(cidr.v6 ? detail::parse_v6(address, cidr.network)
                : detail::parse_v4(address, cidr.network))) {
    return std::nullopt;
  }
  cidr.prefix = *prefix;
  for (unsigned bit = cidr.prefix; bit < cidr.width(); ++bit) {
    set_bit_field(cidr.network, bit, bit + 1, 0);
  }
  return cidr;
}

// The range of one address: "10.244.3.7" is 10.244.3.7/32. Nothing for all else.
inline std::optional<Cidr> parse_address(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return std::nullopt;
  const bool v6 = text.find(':') != std::string_view::npos;
  return parse_cidr(std::string(text) + (v6 ? "/128" : "/32"));
}

// The items of a flag such as --cluster-cidr: the whole text is trimmed, then split at commas; a
// space beside a comma stays and makes an item no range. None for a blank text.
inline std::vector<std::string> split_cidrs(std::string_view text) {
  text = trim(text);
  if (text.empty()) return {};
  std::vector<std::string> items;
  for (;;) {
    const size_t comma = text.find(',');
    items.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return items;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace ccm

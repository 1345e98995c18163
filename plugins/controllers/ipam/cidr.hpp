// Address ranges as numbers. Any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::ipam {

using AddressBytes = std::array<uint8_t, 16>;  // network order; IPv4 in the first four

// The number in the bits [first, last) counted from the front; at most 32 of them.
uint32_t bit_field(const AddressBytes& bytes, unsigned first, unsigned last);
void set_bit_field(AddressBytes& bytes, unsigned first, unsigned last, uint32_t number);

struct Cidr {
  bool v6 = false;
  unsigned prefix = 0;
  AddressBytes network{};  // all bits behind the prefix are 0

  [[nodiscard]] unsigned width() const { return v6 ? 128 : 32; }
  [[nodiscard]] bool contains(const Cidr& other) const;
  // Two ranges overlap only when one contains the other.
  [[nodiscard]] bool overlaps(const Cidr& other) const;
  // "10.244.3.0/24", "fd00:1::/64": as Go writes it.
  [[nodiscard]] std::string text() const;
  bool operator==(const Cidr&) const = default;
};

// The range that an address with a prefix length lies in: "10.244.3.7/24" is 10.244.3.0/24. Leading
// zeros in IPv4 numbers are decimal (ROUTE-2). Nothing for all else, spaces included.
std::optional<Cidr> parse_cidr(std::string_view text);

}  // namespace ccm::ipam

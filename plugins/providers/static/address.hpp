// IP addresses and ranges of them, in their order. Any thread.
#pragma once

#include <ccm/cidr.hpp>

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::static_provider {

struct Address {
  bool v6 = false;
  AddressBytes bytes{};  // network order; IPv4 in the first four

  [[nodiscard]] std::string text() const;
  // The following one; after the last one comes the first.
  [[nodiscard]] Address next() const;

  auto operator<=>(const Address&) const = default;
};

// "192.0.2.1", "2001:db8::1"; nothing for all else.
std::optional<Address> parse_address(std::string_view text);

struct AddressRange {
  Address first;
  Address last;

  [[nodiscard]] bool contains(const Address& address) const {
    return first.v6 == address.v6 && first <= address && address <= last;
  }
  [[nodiscard]] bool overlaps(const AddressRange& other) const {
    return contains(other.first) || other.contains(first);
  }
};

// "192.0.2.0/28" with all its addresses, "192.0.2.10-192.0.2.20" with both ends, or one address.
// Nothing for all else, such as a range that ends before it begins.
std::optional<AddressRange> parse_range(std::string_view text);

}  // namespace ccm::static_provider

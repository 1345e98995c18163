// IP addresses as numbers, for the subnets of the fake.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace ccm::openstack_api {

struct Address {
  bool v6 = false;
  std::array<uint8_t, 16> bytes{};  // IPv4 in the first four

  [[nodiscard]] std::string text() const;
  friend bool operator==(const Address&, const Address&) = default;
};

struct Range {
  Address address;  // as written, with host bits
  unsigned prefix = 0;

  [[nodiscard]] bool contains(const Address& other) const;
  [[nodiscard]] bool overlaps(const Range& other) const {
    return contains(other.address) || other.contains(address);
  }
  // Without host bits.
  [[nodiscard]] Address network() const;
  // So many after the network's; the last four bytes count.
  [[nodiscard]] Address at(uint32_t offset) const;
  // How many there are, at most 2^16.
  [[nodiscard]] uint32_t size() const;
  [[nodiscard]] std::string text() const { return network().text() + "/" + std::to_string(prefix); }
};

std::optional<Address> parse_address(const std::string& text);
// A single address is a range of one.
std::optional<Range> parse_range(const std::string& text);

}  // namespace ccm::openstack_api

#include "openstack_api/network/addresses.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace ccm::openstack_api {

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  inet_ntop(v6 ? AF_INET6 : AF_INET, bytes.data(), buffer.data(), buffer.size());
  return buffer.data();
}

std::optional<Address> parse_address(const std::string& text) {
  Address address;
  address.v6 = text.find(':') != text.npos;
  if (inet_pton(address.v6 ? AF_INET6 : AF_INET, text.c_str(), address.bytes.data()) != 1)
    return std::nullopt;
  return address;
}

std::optional<Range> parse_range(const std::string& text) {
  const size_t slash = std::min(text.find('/'), text.size());
  const auto address = parse_address(text.substr(0, slash));
  if (!address) return std::nullopt;
  Range range{*address, address->v6 ? 128U : 32U};
  if (slash == text.size()) return range;
  unsigned prefix = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data() + slash + 1, end, prefix);
  if (fault != std::errc() || stop != end || prefix > range.prefix) return std::nullopt;
  range.prefix = prefix;
  return range;
}

Address Range::network() const {
  Address out = address;
  for (unsigned bit = prefix; bit < 8 * out.bytes.size(); ++bit) {
    out.bytes[bit / 8] &= static_cast<uint8_t>(~(0x80U >> (bit % 8)));
  }
  return out;
}

bool Range::contains(const Address& other) const {
  return address.v6 == other.v6 && Range{other, prefix}.network() == network();
}

Address Range::at(uint32_t offset) const {
  Address out = network();
  const size_t last = out.v6 ? 15 : 3;
  for (size_t i = 0; i < 4; ++i, offset >>= 8U)
    out.bytes[last - i] |= static_cast<uint8_t>(offset & 0xFFU);
  return out;
}

uint32_t Range::size() const {
  const unsigned width = address.v6 ? 128 : 32;
  return 1U << std::min(width - prefix, 16U);
}

}  // namespace ccm::openstack_api

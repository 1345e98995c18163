#include "address.hpp"

#include <arpa/inet.h>

#include <array>
#include <cstddef>

namespace ccm::static_provider {
namespace {

int family_of(const Address& address) { return address.v6 ? AF_INET6 : AF_INET; }

std::size_t length_of(const Address& address) { return address.v6 ? 16 : 4; }

std::optional<AddressRange> range_of(const Cidr& cidr) {
  AddressRange range{{cidr.v6, cidr.network}, {cidr.v6, cidr.network}};
  for (unsigned bit = cidr.prefix; bit < cidr.width(); ++bit) {
    set_bit_field(range.last.bytes, bit, bit + 1, 1);
  }
  return range;
}

}  // namespace

std::string Address::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  ::inet_ntop(family_of(*this), bytes.data(), buffer.data(), buffer.size());
  return buffer.data();
}

Address Address::next() const {
  Address following = *this;
  for (std::size_t i = length_of(*this); i > 0; --i) {
    if (++following.bytes[i - 1] != 0) break;
  }
  return following;
}

std::optional<Address> parse_address(std::string_view text) {
  const std::string terminated(text);
  if (terminated.find('\0') != std::string::npos) return std::nullopt;
  Address address;
  address.v6 = text.find(':') != std::string_view::npos;
  if (::inet_pton(family_of(address), terminated.c_str(), address.bytes.data()) != 1) {
    return std::nullopt;
  }
  return address;
}

std::optional<AddressRange> parse_range(std::string_view text) {
  if (const auto cidr = parse_cidr(text)) return range_of(*cidr);
  const std::size_t dash = text.find('-');
  const auto first = parse_address(text.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : parse_address(text.substr(dash + 1));
  if (!first || !last || first->v6 != last->v6 || *last < *first) return std::nullopt;
  return AddressRange{*first, *last};
}

}  // namespace ccm::static_provider

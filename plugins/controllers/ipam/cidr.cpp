#include "cidr.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>

namespace ccm::ipam {
namespace {

// A decimal number without a sign; nothing above `most`.
std::optional<unsigned> number(std::string_view digits, unsigned most) {
  if (digits.empty()) return std::nullopt;
  unsigned value = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
    if (value > most) return std::nullopt;
  }
  return value;
}

bool parse_v4(std::string_view text, AddressBytes& bytes) {
  for (size_t octet = 0; octet < 4; ++octet) {
    const size_t dot = text.find('.');
    if ((dot == std::string_view::npos) != (octet == 3)) return false;
    const auto value = number(text.substr(0, dot), 255);
    if (!value) return false;
    bytes[octet] = static_cast<uint8_t>(*value);
    text.remove_prefix(octet == 3 ? text.size() : dot + 1);
  }
  return true;
}

bool parse_v6(std::string_view text, AddressBytes& bytes) {
  const std::string terminated(text);
  return terminated.find('\0') == std::string::npos &&
         inet_pton(AF_INET6, terminated.c_str(), bytes.data()) == 1;
}

bool same_front(const AddressBytes& left, const AddressBytes& right, unsigned bits) {
  const unsigned whole = bits / 8;
  if (!std::equal(left.begin(), left.begin() + whole, right.begin())) return false;
  const unsigned rest = bits % 8;
  return rest == 0 || ((left[whole] ^ right[whole]) >> (8 - rest)) == 0;
}

}  // namespace

uint32_t bit_field(const AddressBytes& bytes, unsigned first, unsigned last) {
  uint32_t field = 0;
  for (unsigned bit = first; bit < last; ++bit) {
    field = field << 1U | ((bytes[bit / 8] >> (7 - bit % 8)) & 1U);
  }
  return field;
}

void set_bit_field(AddressBytes& bytes, unsigned first, unsigned last, uint32_t number) {
  for (unsigned bit = last; bit > first; number >>= 1U) {
    --bit;
    const auto mask = static_cast<uint8_t>(1U << (7 - bit % 8));
    auto& byte = bytes[bit / 8];
    byte = static_cast<uint8_t>((number & 1U) != 0 ? byte | mask : byte & ~mask);
  }
}

bool Cidr::contains(const Cidr& other) const {
  return v6 == other.v6 && prefix <= other.prefix && same_front(network, other.network, prefix);
}

bool Cidr::overlaps(const Cidr& other) const { return contains(other) || other.contains(*this); }

std::string Cidr::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  inet_ntop(v6 ? AF_INET6 : AF_INET, network.data(), buffer.data(), buffer.size());
  return std::string(buffer.data()) + "/" + std::to_string(prefix);
}

std::optional<Cidr> parse_cidr(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view address = text.substr(0, slash);
  Cidr cidr;
  cidr.v6 = address.find(':') != std::string_view::npos;
  const auto prefix = number(text.substr(slash + 1), cidr.width());
  if (!prefix) return std::nullopt;
  if (!(cidr.v6 ? parse_v6(address, cidr.network) : parse_v4(address, cidr.network))) {
    return std::nullopt;
  }
  cidr.prefix = *prefix;
  for (unsigned bit = cidr.prefix; bit < cidr.width(); ++bit) {
    set_bit_field(cidr.network, bit, bit + 1, 0);
  }
  return cidr;
}

}  // namespace ccm::ipam

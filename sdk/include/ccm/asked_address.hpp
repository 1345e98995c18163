// Whether an address in a Service's status is only the echo of its user's wish. Users cannot write
// the status, but controllers beside the manager (kube-vip, MetalLB) copy into it what a Service
// asks for. So such an address proves nothing about who has a load balancer. [any-thread]
#pragma once

#include <ccm/cidr.hpp>
#include <ccm/load_balancer.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

namespace ccm {

namespace detail {

// An address as a range; "::ffff:192.0.2.7" is one of IPv4, as Go's programs take it.
inline std::optional<Cidr> one_address(std::string_view text) {
  static const Cidr of_v4 = *parse_cidr("::ffff:0:0/96");
  const auto address = parse_address(text);
  if (!address || !of_v4.contains(*address)) return address;
  Cidr v4;
  std::copy_n(address->network.begin() + 12, 4, v4.network.begin());
  v4.prefix = 32;
  return v4;
}

// Whether a text has the address in whatever form of IPv6: "2001:DB8:0::1" is 2001:db8::1. A text
// with very many of them counts as one that has it.
inline bool has_address(std::string_view text, const Cidr& address) {
  constexpr std::string_view kParts = "0123456789abcdefABCDEF.:";
  constexpr std::size_t kMost = 256;
  constexpr std::size_t kLongest = 45;  // "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255"
  std::size_t count = 0;
  for (auto colon = text.find(':'); colon != text.npos; colon = text.find(':')) {
    const std::size_t before = text.find_last_not_of(kParts, colon);
    text.remove_prefix(before == text.npos ? 0 : before + 1);
    const std::string_view word = text.substr(0, text.find_first_not_of(kParts));
    text.remove_prefix(word.size());
    if (word.size() > kLongest || std::count(word.begin(), word.end(), ':') < 2) continue;
    if (++count > kMost || one_address(word) == address) return true;
  }
  return false;
}

}  // namespace detail

// Whether the Service asks for the address: in spec.loadBalancerIP, or in the text of an annotation
// other than `written`, in which the manager itself writes it down; empty = there is none.
inline bool asks_for_address(const LoadBalancerService& service, std::string_view address,
                             std::string_view written = {}) {
  if (address.empty()) return false;
  const auto number = detail::one_address(address);
  const auto names = [&](std::string_view text) {
    return text.find(address) != std::string_view::npos ||
           (number && detail::has_address(text, *number));
  };
  if (service.requested_ip == address) return true;
  if (number && detail::one_address(service.requested_ip) == number) return true;
  bool asked = false;
  service.object.at("/metadata/annotations").each([&](std::string_view name, const Value& value) {
    asked = asked || (name != written && names(value.text().value_or(std::string_view())));
  });
  return asked;
}

}  // namespace ccm

// Names of hosts as Kubernetes takes them. [any-thread]
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace ccm {

// Whether the text is an IPv4 or IPv6 address, without a zone.
inline bool is_ip_address(std::string_view text) {
  const std::string address(text);
  if (address.find('\0') != std::string::npos) return false;
  in6_addr bytes{};
  return inet_pton(AF_INET, address.c_str(), &bytes) == 1 ||
         inet_pton(AF_INET6, address.c_str(), &bytes) == 1;
}

// Whether the API server takes the text for a host name in a Service's status: an RFC 1123
// subdomain, in lower case and without a dot at its end, and no address.
inline bool is_host_name(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  const auto alphanumeric = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  if (text.empty() || text.size() > kLongest) return false;
  char before = '.';
  for (const char c : text) {
    const bool good =
        c == '.' ? alphanumeric(before) : alphanumeric(c) || (c == '-' && before != '.');
    if (!good) return false;
    before = c;
  }
  return alphanumeric(before) && !is_ip_address(text);
}

}  // namespace ccm

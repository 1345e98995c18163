// Absolute URLs of the supported schemes, split for a client. Values; any thread.
#pragma once

#include <ccm/status.hpp>

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::net {

struct Url {
  std::string scheme;    // lower case
  std::string user;      // percent-decoded
  std::string password;  // percent-decoded, never logged
  bool has_user = false;
  std::string host;  // lower case; an IPv6 literal without its brackets
  std::uint16_t port = 0;
  std::string target;  // path and query as sent in a request line, at least "/"; no fragment

  // "host:port", with brackets around an IPv6 literal.
  [[nodiscard]] std::string authority() const;
  // The authority without a port that is the scheme's own: the value of a Host header.
  [[nodiscard]] std::string host_header() const;
  // "scheme://host:port"; fit for messages, it never holds a credential.
  [[nodiscard]] std::string origin() const { return scheme + "://" + authority(); }
};

// The port that a scheme implies; 0 for an unknown scheme.
[[nodiscard]] std::uint16_t default_port(std::string_view scheme);

// The IPv4 or IPv6 address that `host` is, without its zone; none for a name.
[[nodiscard]] std::optional<boost::asio::ip::address> address_of(std::string_view host);

// Whether `host` is an IPv4 or IPv6 address (a zone is allowed), and not a name.
[[nodiscard]] bool is_ip_literal(std::string_view host);

// Whether `host` can only be this machine: 127.0.0.0/8, ::1, localhost.
[[nodiscard]] bool is_loopback(std::string_view host);

// Whether `host` is an address that no router forwards: 169.254.0.0/16, fe80::/10, and
// fd00:ec2::/32, where EC2 has the same services for IPv6. Behind it is the machine's own platform.
[[nodiscard]] bool is_link_local(std::string_view host);

// Fails with invalid_argument; the message shows neither the user part nor the query.
Result<Url> parse_url(std::string_view text);

// For messages: the text without user part, query and fragment. Of a text that is no URL only the
// part remains that cannot be a password.
[[nodiscard]] std::string redact_url(std::string_view text);

// "%XX" as the byte that it stands for; what is none of these stays as it is. `plus_is_space`: in
// queries.
[[nodiscard]] std::string percent_decoded(std::string_view text, bool plus_is_space = false);

}  // namespace ccm::net

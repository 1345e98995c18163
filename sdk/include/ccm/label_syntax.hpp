// The texts that the API server accepts as keys and values of labels: one that it refuses would
// keep a Node from being initialised. [any-thread]
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ccm {
namespace detail {

constexpr bool is_lower_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
constexpr bool is_letter_or_digit(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

inline bool is_label_name(std::string_view text) {
  constexpr std::size_t kNameLimit = 63;
  if (text.empty() || text.size() > kNameLimit) return false;
  if (!is_letter_or_digit(text.front()) || !is_letter_or_digit(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  });
}

// One part of a DNS name; RFC 1123 in lower case.
inline bool is_dns_label(std::string_view text) {
  if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back())) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

inline bool is_dns_subdomain(std::string_view text) {
  constexpr std::size_t kPrefixLimit = 253;
  if (text.empty() || text.size() > kPrefixLimit) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace detail

// At most 63 letters, digits, '-', '_' and '.', with a letter or digit at both ends; may be empty.
inline bool is_label_value(std::string_view text) {
  return text.empty() || detail::is_label_name(text);
}

// A name of that form, not empty, after an optional DNS subdomain and a slash:
// "rack.example.com/serial".
inline bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return detail::is_label_name(text);
  return detail::is_dns_subdomain(text.substr(0, slash)) &&
         detail::is_label_name(text.substr(slash + 1));
}

}  // namespace ccm

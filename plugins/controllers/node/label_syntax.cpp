#include "label_syntax.hpp"

#include <algorithm>

namespace ccm::node {
namespace {

constexpr size_t kNameLimit = 63;
constexpr size_t kPrefixLimit = 253;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_letter_or_digit(char c) { return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z'); }

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > kNameLimit) return false;
  if (!is_letter_or_digit(text.front()) || !is_letter_or_digit(text.back())) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  });
}

// One part of a DNS name; RFC 1123 in lower case.
bool is_dns_label(std::string_view text) {
  if (text.empty() || !is_lower_or_digit(text.front()) || !is_lower_or_digit(text.back())) {
    return false;
  }
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_subdomain(std::string_view text) {
  if (text.empty() || text.size() > kPrefixLimit) return false;
  while (true) {
    const size_t dot = text.find('.');
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

bool is_label_value(std::string_view text) { return text.empty() || is_name(text); }

bool is_label_key(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return is_name(text);
  return is_subdomain(text.substr(0, slash)) && is_name(text.substr(slash + 1));
}

}  // namespace ccm::node

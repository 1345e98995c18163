#include "label.hpp"

#include <algorithm>

namespace ccm::static_provider {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A domain name in lower case.
bool is_prefix(std::string_view text) {
  return !text.empty() && text.size() <= 253 && is_letter_or_digit(text.front()) &&
         is_letter_or_digit(text.back()) && text.find("..") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
         });
}

}  // namespace

bool is_label_value(std::string_view text) {
  if (text.empty()) return true;
  return text.size() <= 63 && is_letter_or_digit(text.front()) && is_letter_or_digit(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
         });
}

bool is_label_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return !text.empty() && is_label_value(text);
  const std::string_view name = text.substr(slash + 1);
  return is_prefix(text.substr(0, slash)) && !name.empty() && is_label_value(name);
}

}  // namespace ccm::static_provider

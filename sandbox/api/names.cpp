#include "api/names.hpp"

#include <algorithm>

namespace sandbox {
namespace {

bool lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool alnum(char c) { return lower_alnum(c) || (c >= 'A' && c <= 'Z'); }

bool is_dns_label(std::string_view text) {
  return !text.empty() && lower_alnum(text.front()) && lower_alnum(text.back()) &&
         std::all_of(text.begin(), text.end(), [](char c) { return lower_alnum(c) || c == '-'; });
}

// Letters, digits, '-', '_', '.', beginning and ending with a letter or digit.
bool is_name(std::string_view text) {
  return !text.empty() && alnum(text.front()) && alnum(text.back()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return alnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t limit) {
  return "must be no more than " + std::to_string(limit) + " characters";
}

}  // namespace

std::optional<std::string> dns_label_problem(const std::string& text) {
  if (text.size() > 63) return too_long(63);
  if (is_dns_label(text)) return std::nullopt;
  return "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
         "and must start and end with an alphanumeric character";
}

std::optional<std::string> dns_subdomain_problem(const std::string& text) {
  if (text.size() > 253) return too_long(253);
  std::string_view rest = text;
  bool good = true;
  while (good) {
    std::string_view label = rest.substr(0, rest.find('.'));
    good = is_dns_label(label);
    if (label.size() == rest.size()) break;
    rest.remove_prefix(label.size() + 1);
  }
  if (good) return std::nullopt;
  return "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' "
         "or '.', and must start and end with an alphanumeric character";
}

std::optional<std::string> qualified_name_problem(const std::string& text) {
  std::size_t slash = text.find('/');
  std::string name = slash == std::string::npos ? text : text.substr(slash + 1);
  if (slash != std::string::npos) {
    if (slash == 0) return "prefix part must be non-empty";
    if (auto problem = dns_subdomain_problem(text.substr(0, slash))) {
      return "prefix part " + *problem;
    }
  }
  if (name.empty()) return "name part must be non-empty";
  if (name.size() > 63) return "name part " + too_long(63);
  if (is_name(name)) return std::nullopt;
  return "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and "
         "end with an alphanumeric character";
}

std::optional<std::string> label_value_problem(const std::string& text) {
  if (text.empty()) return std::nullopt;
  if (text.size() > 63) return too_long(63);
  if (is_name(text)) return std::nullopt;
  return "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
         "or '.', and must start and end with an alphanumeric character";
}

std::optional<std::string> config_key_problem(const std::string& text) {
  const bool shaped = !text.empty() && text.size() <= 253 && text != "." && text != ".." &&
                      text.find_first_not_of(
                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                          "0123456789-_.") == std::string::npos;
  if (shaped) return std::nullopt;
  return "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
}

}  // namespace sandbox

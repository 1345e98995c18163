#include "app/flags/go_values.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace ccm::app {
namespace {

// Removes the base's prefix from `digits` and returns the base.
unsigned take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  unsigned base = 8;
  std::size_t used = 1;
  switch (digits[1]) {
    case 'x':
    case 'X':
      base = 16, used = 2;
      break;
    case 'o':
    case 'O':
      used = 2;
      break;
    case 'b':
    case 'B':
      base = 2, used = 2;
      break;
    default:
      break;
  }
  digits.remove_prefix(used);
  if (!digits.empty() && digits[0] == '_') digits.remove_prefix(1);
  return base;
}

bool is_address(int family, std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return false;
  std::array<unsigned char, sizeof(in6_addr)> address{};
  return ::inet_pton(family, std::string(text).c_str(), address.data()) == 1;
}

// "010.000.1.2" -> "10.0.1.2"
std::string without_leading_zeros(std::string_view text) {
  std::string result;
  bool start = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit_follows = i + 1 < text.size() && text[i + 1] >= '0' && text[i + 1] <= '9';
    if (start && text[i] == '0' && digit_follows) continue;
    start = text[i] == '.';
    result += text[i];
  }
  return result;
}

}  // namespace

std::optional<bool> parse_bool(std::string_view text) {
  for (const char* yes : {"1", "t", "T", "TRUE", "true", "True"}) {
    if (text == yes) return true;
  }
  for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) {
    if (text == no) return false;
  }
  return std::nullopt;
}

std::optional<int64_t> parse_integer(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  const bool prefixed = text.size() > 1 && text[0] == '0';
  const unsigned base = take_base(text);
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits += text[i];
    } else if (!prefixed || i == 0 || i + 1 == text.size() || text[i + 1] == '_') {
      return std::nullopt;
    }
  }
  if (digits.empty() || digits[0] == '-' || digits[0] == '+') return std::nullopt;
  if (negative) digits.insert(digits.begin(), '-');
  int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, static_cast<int>(base));
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<float> parse_float(std::string_view text) {
  if (!text.empty() && text[0] == '+') text.remove_prefix(1);
  float value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  // "nan" and "inf" are numbers to Go, but no flag has a use for them: a rate must be comparable.
  if (error != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<std::vector<std::string>> parse_csv(std::string_view text) {
  std::vector<std::string> fields;
  if (text.empty()) return fields;
  std::size_t at = 0;
  while (true) {
    std::string field;
    if (at < text.size() && text[at] == '"') {
      ++at;
      while (true) {
        if (at >= text.size()) return std::nullopt;  // no closing quote
        if (text[at] != '"') {
          field += text[at++];
        } else if (at + 1 < text.size() && text[at + 1] == '"') {
          field += '"';
          at += 2;
        } else {
          ++at;
          break;
        }
      }
      if (at < text.size() && text[at] != ',') return std::nullopt;
    } else {
      while (at < text.size() && text[at] != ',') {
        if (text[at] == '"') return std::nullopt;
        field += text[at++];
      }
    }
    fields.push_back(std::move(field));
    if (at >= text.size()) return fields;
    ++at;  // the comma; a last one is followed by an empty field
  }
}

std::string format_csv(std::span<const std::string> fields) {
  std::string text;
  for (const std::string& field : fields) {
    if (!text.empty() || &field != fields.data()) text += ',';
    const bool quote = field.find_first_of(",\"\n\r") != std::string::npos;
    if (!quote) {
      text += field;
      continue;
    }
    text += '"';
    for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    text += '"';
  }
  return text;
}

bool is_ip_address(std::string_view text) {
  return is_address(AF_INET, text) || is_address(AF_INET6, text);
}

std::optional<Cidr> parse_cidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const std::string_view address = text.substr(0, slash);
  const std::string_view length = text.substr(slash + 1);
  Cidr cidr;
  cidr.ipv6 = address.find(':') != std::string_view::npos;
  const std::string plain = cidr.ipv6 ? std::string(address) : without_leading_zeros(address);
  const auto [stop, error] =
      std::from_chars(length.data(), length.data() + length.size(), cidr.prefix);
  if (error != std::errc() || stop != length.data() + length.size()) return std::nullopt;
  if (cidr.prefix > (cidr.ipv6 ? 128U : 32U)) return std::nullopt;
  if (!is_address(cidr.ipv6 ? AF_INET6 : AF_INET, plain)) return std::nullopt;
  return cidr;
}

}  // namespace ccm::app

#include "values.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace ccm::openstack {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view without_blanks_around(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const size_t begin = std::min(text.find_first_not_of(kBlanks), text.size());
  text.remove_prefix(begin);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

double milliseconds_of(std::string_view unit) {
  if (unit == "h") return 3'600'000;
  if (unit == "m") return 60'000;
  if (unit == "s") return 1'000;
  if (unit == "ms") return 1;
  if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") return 1e-3;
  if (unit == "ns") return 1e-6;
  return 0;
}

}  // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::optional<bool> parse_boolean(std::string_view text) {
  const auto is = [&](std::string_view word) { return equal_ignoring_case(text, word); };
  if (is("true") || is("yes") || is("on") || is("1")) return true;
  if (is("false") || is("no") || is("off") || is("0")) return false;
  return std::nullopt;
}

std::optional<int64_t> parse_integer(std::string_view text) {
  text = without_blanks_around(text);
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  // Not from_chars' own sign: "--1" is none.
  if (text.empty() || text.front() == '-') return std::nullopt;
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number, hexadecimal ? 16 : 10);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return negative ? -number : number;
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  constexpr double kLongest = 100.0 * 365 * 24 * 3'600'000;
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return std::chrono::milliseconds(0);
  if (text.empty()) return std::nullopt;
  double total = 0;
  while (!text.empty()) {
    // from_chars also takes signs, "inf" and "nan".
    if (text.front() != '.' && (text.front() < '0' || text.front() > '9')) return std::nullopt;
    double number = 0;
    const auto [stop, fault] =
        std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (fault != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    const std::string_view unit = text.substr(0, text.find_first_of("0123456789."));
    const double factor = milliseconds_of(unit);
    if (factor == 0) return std::nullopt;
    total += number * factor;
    text.remove_prefix(unit.size());
  }
  if (total > kLongest) return std::nullopt;
  return std::chrono::milliseconds(static_cast<int64_t>(total + 0.5));
}

}  // namespace ccm::openstack

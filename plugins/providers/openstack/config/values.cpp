#include "values.hpp"

#include <ccm/config.hpp>
#include <ccm/lower_case.hpp>
#include <ccm/trim.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace ccm::openstack {
bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower_case(x) == lower_case(y); });
}

std::optional<bool> parse_boolean(std::string_view text) {
  const auto is = [&](std::string_view word) { return equal_ignoring_case(text, word); };
  if (is("true") || is("yes") || is("on") || is("1")) return true;
  if (is("false") || is("no") || is("off") || is("0")) return false;
  return std::nullopt;
}

std::optional<int64_t> parse_integer(std::string_view text) {
  text = trim(text);
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
  constexpr std::chrono::hours kLongest{100 * 365 * 24};
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto duration = Config::parse_duration(text);
  return duration && *duration <= kLongest ? duration : std::nullopt;
}

}  // namespace ccm::openstack

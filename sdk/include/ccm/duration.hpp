// Durations as Go writes them: "5m0s", "1h30m", "1.5s", "300ms", "-2s", "0". Any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace ccm {
namespace detail {

inline constexpr uint64_t kDurationLimit = uint64_t{1} << 63U;
inline constexpr uint64_t kSecondInNs = 1'000'000'000;

inline constexpr std::array<std::pair<std::string_view, uint64_t>, 8> kDurationUnits{
    {{"ns", 1},
     {"us", 1'000},
     {"\u00b5s", 1'000},
     {"\u03bcs", 1'000},
     {"ms", 1'000'000},
     {"s", kSecondInNs},
     {"m", 60 * kSecondInNs},
     {"h", 3600 * kSecondInNs}}};

inline bool is_decimal_digit(char c) { return c >= '0' && c <= '9'; }

struct DurationNumber {
  uint64_t whole = 0;
  uint64_t fraction = 0;  // over `scale`
  double scale = 1;
};

// Cuts the leading digits, with at most one point, off `text`.
inline std::optional<DurationNumber> take_duration_number(std::string_view& text) {
  DurationNumber number;
  bool digits = false;
  bool fraction = false;
  bool precise = true;
  std::size_t used = 0;
  for (; used < text.size(); ++used) {
    const char c = text[used];
    if (c == '.' && !fraction) {
      fraction = true;
      continue;
    }
    if (!is_decimal_digit(c)) break;
    digits = true;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (!fraction) {
      if (number.whole > (kDurationLimit - digit) / 10) return std::nullopt;
      number.whole = number.whole * 10 + digit;
    } else if (precise && number.fraction <= (kDurationLimit - digit) / 10) {
      number.fraction = number.fraction * 10 + digit;
      number.scale *= 10;
    } else {
      precise = false;  // digits that nanoseconds cannot show
    }
  }
  if (!digits) return std::nullopt;
  text.remove_prefix(used);
  return number;
}

inline std::optional<uint64_t> take_duration_unit(std::string_view& text) {
  std::size_t used = 0;
  while (used < text.size() && text[used] != '.' && !is_decimal_digit(text[used])) ++used;
  const std::string_view unit = text.substr(0, used);
  text.remove_prefix(used);
  for (const auto& [name, nanoseconds] : kDurationUnits) {
    if (name == unit) return nanoseconds;
  }
  return std::nullopt;
}

}  // namespace detail

// Nothing when the text has another form or does not fit. Units: ns, us, µs, ms, s, m, h.
inline std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return std::nullopt;
  uint64_t total = 0;
  while (!text.empty()) {
    const std::optional<detail::DurationNumber> number = detail::take_duration_number(text);
    if (!number) return std::nullopt;
    const std::optional<uint64_t> unit = detail::take_duration_unit(text);
    if (!unit || number->whole > detail::kDurationLimit / *unit) return std::nullopt;
    const uint64_t part =
        number->whole * *unit + static_cast<uint64_t>(static_cast<double>(number->fraction) *
                                                      (static_cast<double>(*unit) / number->scale));
    if (part > detail::kDurationLimit - total) return std::nullopt;
    total += part;
  }
  if (negative) return std::chrono::nanoseconds(static_cast<int64_t>(0 - total));
  if (total == detail::kDurationLimit) return std::nullopt;
  return std::chrono::nanoseconds(static_cast<int64_t>(total));
}

}  // namespace ccm

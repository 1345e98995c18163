// The dates of HTTP's headers, as in Date and Retry-After (RFC 9110, 5.6.7). Any thread.
#pragma once

#include <ccm/timestamp.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace ccm {

namespace detail {

inline constexpr std::array<std::string_view, 12> kMonthNames = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

}  // namespace detail

// Milliseconds since 1970 of "Fri, 27 Nov 2026 09:30:00 GMT"; nothing for every other form, also
// for the two obsolete ones. The day of the week is not compared with the date.
inline std::optional<std::chrono::milliseconds> parse_http_date(std::string_view text) {
  constexpr std::string_view kForm = "Fri, 27 Nov 2026 09:30:00 GMT";
  if (text.size() != kForm.size() || text.substr(3, 2) != ", " || text[7] != ' ' ||
      text[11] != ' ' || text[16] != ' ' || !text.ends_with(" GMT")) {
    return std::nullopt;
  }
  for (std::size_t month = 0; month < detail::kMonthNames.size(); ++month) {
    if (text.substr(8, 3) != detail::kMonthNames[month]) continue;
    std::string stamp(text.substr(12, 4));
    stamp += month < 9 ? "-0" : "-";
    stamp += std::to_string(month + 1) + "-";
    stamp.append(text.substr(5, 2)).append("T").append(text.substr(17, 8)).append("Z");
    return parse_timestamp(stamp);
  }
  return std::nullopt;
}

// The pause of a Retry-After, in whole seconds or as such a date compared with `now`, the time
// since 1970: from 0 to `longest`, also where the number fits no integer. Nothing for all else.
inline std::optional<std::chrono::milliseconds> parse_retry_after(
    std::string_view text, std::chrono::milliseconds now, std::chrono::milliseconds longest) {
  using std::chrono::milliseconds;
  uint32_t seconds = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, seconds);
  if (fault != std::errc::invalid_argument && stop == end) {
    const bool fits = fault == std::errc();
    return fits ? std::min<milliseconds>(std::chrono::seconds(seconds), longest) : longest;
  }
  const auto date = parse_http_date(text);
  if (!date) return std::nullopt;
  return std::clamp(*date - now, milliseconds(0), longest);
}

// A time since 1970 in that form.
inline std::string http_date(std::chrono::milliseconds since_1970) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  const std::chrono::sys_seconds time{std::chrono::floor<std::chrono::seconds>(since_1970)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::string stamp = timestamp(since_1970);  // "2026-11-27T09:30:00Z"
  std::string text(kDays[std::chrono::weekday(day).c_encoding()]);
  text.append(", ").append(stamp, 8, 2).append(" ");
  text.append(detail::kMonthNames[static_cast<unsigned>(date.month()) - 1]).append(" ");
  text.append(stamp, 0, 4).append(" ").append(stamp, 11, 8).append(" GMT");
  return text;
}

}  // namespace ccm

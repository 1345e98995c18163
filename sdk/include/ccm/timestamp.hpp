// The time stamps of Kubernetes objects (metav1.Time), as in metadata.creationTimestamp.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace ccm {
namespace detail {

// The number at text[begin, begin+length); nothing when it is none.
inline std::optional<int> digits(std::string_view text, std::size_t begin, std::size_t length) {
  int number = 0;
  const char* first = text.data() + begin;
  const auto [end, fault] = std::from_chars(first, first + length, number);
  if (fault != std::errc() || end != first + length || *first == '-') return std::nullopt;
  return number;
}

}  // namespace detail

// Milliseconds since 1970 of "2026-01-02T03:04:05Z"; nothing for every other form. Any thread.
inline std::optional<std::chrono::milliseconds> parse_timestamp(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kForm[i] != '0' && text[i] != kForm[i]) return std::nullopt;
  }
  const auto year_number = detail::digits(text, 0, 4);
  const auto month_number = detail::digits(text, 5, 2);
  const auto day_number = detail::digits(text, 8, 2);
  const auto hour = detail::digits(text, 11, 2);
  const auto minute = detail::digits(text, 14, 2);
  const auto second = detail::digits(text, 17, 2);
  if (!year_number || !month_number || !day_number || !hour || !minute || !second) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year_number),
                                         std::chrono::month(static_cast<unsigned>(*month_number)),
                                         std::chrono::day(static_cast<unsigned>(*day_number))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::milliseconds(std::chrono::sys_days(date).time_since_epoch()) +
         std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second);
}

// A time since 1970 in that form, as the API server keeps it: in UTC, without fractions. Any
// thread.
inline std::string timestamp(std::chrono::milliseconds since_1970) {
  const std::chrono::sys_seconds time{std::chrono::floor<std::chrono::seconds>(since_1970)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  char text[32];
  std::snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

}  // namespace ccm

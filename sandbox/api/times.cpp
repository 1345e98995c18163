#include "api/times.hpp"

#include <charconv>
#include <cstdio>

namespace sandbox {
namespace {

using std::chrono::seconds;

std::string format(Time time, bool micro) {
  auto whole = std::chrono::floor<seconds>(time);
  auto day = std::chrono::floor<std::chrono::days>(whole);
  std::chrono::year_month_day date(day);
  std::chrono::hh_mm_ss clock(whole - day);
  char text[48];
  int length = std::snprintf(
      text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  std::string out(text, static_cast<std::size_t>(length));
  if (micro) {
    length = std::snprintf(text, sizeof text, ".%06d", static_cast<int>((time - whole).count()));
    out.append(text, static_cast<std::size_t>(length));
  }
  return out + "Z";
}

// Reads exactly `digits` digits from the front.
bool take_number(std::string_view& text, std::size_t digits, int& value) {
  if (text.size() < digits) return false;
  auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  if (error != std::errc() || end != text.data() + digits) return false;
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char wanted) {
  if (text.empty() || (text[0] | 0x20) != (wanted | 0x20)) return false;
  text.remove_prefix(1);
  return true;
}

int take_fraction(std::string_view& text) {
  int micros = 0;
  int scale = 100000;
  while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
    micros += (text[0] - '0') * scale;
    scale /= 10;
    text.remove_prefix(1);
  }
  return micros;
}

std::optional<int> take_zone_minutes(std::string_view text) {
  if (text == "Z" || text == "z") return 0;
  if (text.empty() || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  int sign = text[0] == '-' ? -1 : 1;
  text.remove_prefix(1);
  int hours = 0, minutes = 0;
  if (!take_number(text, 2, hours) || !take(text, ':') || !take_number(text, 2, minutes)) {
    return std::nullopt;
  }
  return text.empty() ? std::optional(sign * (hours * 60 + minutes)) : std::nullopt;
}

}  // namespace

Time now() {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::string format_time(Time time) { return format(time, false); }
std::string format_micro_time(Time time) { return format(time, true); }

std::optional<Time> parse_time(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, micros = 0;
  bool shaped = take_number(text, 4, year) && take(text, '-') && take_number(text, 2, month) &&
                take(text, '-') && take_number(text, 2, day) && take(text, 'T') &&
                take_number(text, 2, hour) && take(text, ':') && take_number(text, 2, minute) &&
                take(text, ':') && take_number(text, 2, second);
  if (!shaped) return std::nullopt;
  if (take(text, '.')) micros = take_fraction(text);
  std::optional<int> zone = take_zone_minutes(text);
  std::chrono::year_month_day date{std::chrono::year(year),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day))};
  if (!zone || !date.ok() || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return std::chrono::sys_days(date) + std::chrono::hours(hour) +
         std::chrono::minutes(minute - *zone) + seconds(second) + std::chrono::microseconds(micros);
}

std::string format_age(seconds age) {
  auto total = age.count();
  if (total < 0) return "0s";
  auto with_rest = [](long long whole, const char* unit, long long rest, const char* small) {
    std::string text = std::to_string(whole) + unit;
    return rest == 0 ? text : text + std::to_string(rest) + small;
  };
  if (total < 120) return std::to_string(total) + "s";
  long long minutes = total / 60;
  if (minutes < 10) return with_rest(minutes, "m", total % 60, "s");
  if (minutes < 180) return std::to_string(minutes) + "m";
  long long hours = minutes / 60;
  if (hours < 8) return with_rest(hours, "h", minutes % 60, "m");
  if (hours < 48) return std::to_string(hours) + "h";
  if (hours < 192) return with_rest(hours / 24, "d", hours % 24, "h");
  return std::to_string(hours / 24) + "d";
}

}  // namespace sandbox

#include "base/duration.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace ccm {
namespace {

constexpr uint64_t kLimit = uint64_t{1} << 63U;
constexpr uint64_t kSecond = 1'000'000'000;

constexpr std::array<std::pair<std::string_view, uint64_t>, 8> kUnits{{{"ns", 1},
                                                                       {"us", 1'000},
                                                                       {"\u00b5s", 1'000},
                                                                       {"\u03bcs", 1'000},
                                                                       {"ms", 1'000'000},
                                                                       {"s", kSecond},
                                                                       {"m", 60 * kSecond},
                                                                       {"h", 3600 * kSecond}}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct Number {
  uint64_t whole = 0;
  uint64_t fraction = 0;  // over `scale`
  double scale = 1;
};

// Cuts the leading digits, with at most one point, off `text`.
std::optional<Number> take_number(std::string_view& text) {
  Number number;
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
    if (!is_digit(c)) break;
    digits = true;
    const auto digit = static_cast<uint64_t>(c - '0');
    if (!fraction) {
      if (number.whole > (kLimit - digit) / 10) return std::nullopt;
      number.whole = number.whole * 10 + digit;
    } else if (precise && number.fraction <= (kLimit - digit) / 10) {
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

std::optional<uint64_t> take_unit(std::string_view& text) {
  std::size_t used = 0;
  while (used < text.size() && text[used] != '.' && !is_digit(text[used])) ++used;
  const std::string_view unit = text.substr(0, used);
  text.remove_prefix(used);
  for (const auto& [name, nanoseconds] : kUnits) {
    if (name == unit) return nanoseconds;
  }
  return std::nullopt;
}

// `value` over `unit` (a power of ten) without trailing zeros: 1500 over 1000 is "1.5".
std::string decimal(uint64_t value, uint64_t unit) {
  std::string text = std::to_string(value / unit);
  uint64_t rest = value % unit;
  if (rest == 0) return text;
  text += '.';
  for (uint64_t place = unit / 10; rest != 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text;
}

}  // namespace

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text == "0") return std::chrono::nanoseconds(0);
  if (text.empty()) return std::nullopt;
  uint64_t total = 0;
  while (!text.empty()) {
    const std::optional<Number> number = take_number(text);
    if (!number) return std::nullopt;
    const std::optional<uint64_t> unit = take_unit(text);
    if (!unit || number->whole > kLimit / *unit) return std::nullopt;
    const uint64_t part =
        number->whole * *unit + static_cast<uint64_t>(static_cast<double>(number->fraction) *
                                                      (static_cast<double>(*unit) / number->scale));
    if (part > kLimit - total) return std::nullopt;
    total += part;
  }
  if (negative) return std::chrono::nanoseconds(static_cast<int64_t>(0 - total));
  if (total == kLimit) return std::nullopt;
  return std::chrono::nanoseconds(static_cast<int64_t>(total));
}

std::string format_duration(std::chrono::nanoseconds value) {
  const bool negative = value.count() < 0;
  uint64_t rest = static_cast<uint64_t>(value.count());
  if (negative) rest = 0 - rest;
  std::string text = negative ? "-" : "";
  if (rest == 0) return "0s";
  if (rest < 1'000) return text + decimal(rest, 1) + "ns";
  if (rest < 1'000'000) return text + decimal(rest, 1'000) + "\u00b5s";
  if (rest < kSecond) return text + decimal(rest, 1'000'000) + "ms";
  const uint64_t hours = rest / (3600 * kSecond);
  const uint64_t minutes = rest / (60 * kSecond) % 60;
  if (hours > 0) text += std::to_string(hours) + "h";
  if (hours > 0 || minutes > 0) text += std::to_string(minutes) + "m";
  return text + decimal(rest % (60 * kSecond), kSecond) + "s";
}

std::string short_duration(std::chrono::nanoseconds value) {
  struct Unit {
    int64_t seconds;
    char name;
  };
  constexpr Unit kUnits[] = {{86'400, 'd'}, {3'600, 'h'}, {60, 'm'}, {1, 's'}};
  int64_t left = std::chrono::duration_cast<std::chrono::seconds>(value).count();
  if (left <= 0) return "0s";
  std::string text;
  int places = 0;
  for (const Unit& unit : kUnits) {
    if (left < unit.seconds && text.empty()) continue;
    if (places++ == 2) break;
    if (left >= unit.seconds) text += std::to_string(left / unit.seconds) + unit.name;
    left %= unit.seconds;
  }
  return text;
}

}  // namespace ccm

#include "base/duration.hpp"

#include <cstdint>

namespace ccm {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;

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

#include "kube/time_text.hpp"

#include <ccm/timestamp.hpp>

#include <charconv>

namespace ccm::kube {
namespace {

using namespace std::chrono;

// Takes exactly `digits` digits from the front.
bool take_number(std::string_view& text, std::size_t digits, int& out) {
  if (text.size() < digits) return false;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return false;
  }
  std::from_chars(text.data(), text.data() + digits, out);
  text.remove_prefix(digits);
  return true;
}

bool take(std::string_view& text, char c) {
  const bool letter = c >= 'a' && c <= 'z';
  if (text.empty() || (text.front() != c && !(letter && text.front() == c - 32))) return false;
  text.remove_prefix(1);
  return true;
}

// The clock counts nanoseconds in 64 bits: years from 1678 to 2261. Servers write "for ever" as the
// year 9999, which must not become a time in the past.
system_clock::time_point within_clock(sys_seconds time, nanoseconds fraction) {
  constexpr auto kFirst = ceil<seconds>(system_clock::time_point::min());
  constexpr auto kLast = floor<seconds>(system_clock::time_point::max()) - seconds(1);
  if (time < kFirst) return system_clock::time_point::min();
  if (time > kLast) return system_clock::time_point::max();
  return time + duration_cast<system_clock::duration>(fraction);
}

}  // namespace

std::string format_time(system_clock::time_point time) {
  return timestamp(floor<milliseconds>(time.time_since_epoch()));
}

std::optional<system_clock::time_point> parse_time(std::string_view text) {
  int y = 0, mo = 0, d = 0, h = 0, mi = 0, s = 0;
  const bool shape = take_number(text, 4, y) && take(text, '-') && take_number(text, 2, mo) &&
                     take(text, '-') && take_number(text, 2, d) && take(text, 't') &&
                     take_number(text, 2, h) && take(text, ':') && take_number(text, 2, mi) &&
                     take(text, ':') && take_number(text, 2, s);
  if (!shape) return std::nullopt;
  const year_month_day date{year(y), month(static_cast<unsigned>(mo)),
                            day(static_cast<unsigned>(d))};
  if (!date.ok() || h > 23 || mi > 59 || s > 60) return std::nullopt;
  nanoseconds fraction{0};
  if (take(text, '.')) {
    int64_t scale = 100'000'000;
    std::size_t digits = 0;
    for (int digit = 0; take_number(text, 1, digit); ++digits, scale /= 10) {
      fraction += nanoseconds(digit * scale);
    }
    if (digits == 0) return std::nullopt;
  }
  minutes offset{0};
  if (!take(text, 'z')) {
    const bool east = take(text, '+');
    int oh = 0, om = 0;
    const bool good = (east || take(text, '-')) && take_number(text, 2, oh) && take(text, ':') &&
                      take_number(text, 2, om) && oh <= 23 && om <= 59;
    if (!good) return std::nullopt;
    offset = (east ? 1 : -1) * (hours(oh) + minutes(om));
  }
  if (!text.empty()) return std::nullopt;
  return within_clock(sys_days(date) + hours(h) + minutes(mi) + seconds(s) - offset, fraction);
}

}  // namespace ccm::kube

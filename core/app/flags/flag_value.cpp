#include "app/flags/flag_value.hpp"

#include "base/duration.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace ccm::app {

namespace {

// Removes the base's prefix from `digits` and returns the base.
int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  constexpr std::string_view kLetters = "xXoObB";
  constexpr std::array kBases{16, 8, 2};
  const std::size_t letter = kLetters.find(digits[1]);
  digits.remove_prefix(letter == std::string_view::npos ? 1 : 2);
  if (digits.starts_with('_')) digits.remove_prefix(1);
  return letter == std::string_view::npos ? 8 : kBases.at(letter / 2);
}

using Limits = std::numeric_limits<int32_t>;

std::optional<std::string> read_ip(std::string_view text) {
  return is_ip_address(text) ? std::optional<std::string>(text) : std::nullopt;
}

std::optional<int32_t> read_int32(std::string_view text) {
  const auto value = parse_integer(text);
  if (!value || *value < Limits::min() || *value > Limits::max()) return std::nullopt;
  return static_cast<int32_t>(*value);
}

std::optional<std::vector<int32_t>> read_int32_list(std::string_view text) {
  const auto fields = parse_csv(text);
  if (!fields) return std::nullopt;
  std::vector<int32_t> numbers;
  for (const std::string& field : *fields) {
    const auto number = read_int32(field);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::string write_float(float value) {
  std::string text = fmt::format("{}", value);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
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
  const int base = take_base(text);
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
  const auto [stop, error] = std::from_chars(digits.data(), end, value, base);
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

bool is_quantity(std::string_view text) {
  const auto skip_sign = [&text] {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  };
  const auto skip_digits = [&text] {
    const std::size_t count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count;
  };
  skip_sign();
  std::size_t digits = skip_digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0) return false;
  constexpr std::array<std::string_view, 16> kSuffixes{
      "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  if (std::ranges::find(kSuffixes, text) != kSuffixes.end()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  skip_sign();
  return skip_digits() > 0 && text.empty();
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
    if (field.find_first_of(",\"\n\r") == std::string::npos) {
      text += field;
      continue;
    }
    text += '"';
    for (const char c : field) text.append(c == '"' ? 2 : 1, c);
    text += '"';
  }
  return text;
}

bool is_ip_address(std::string_view text) {
  const std::string terminated(text);
  in6_addr address{};  // an IPv4 address is shorter
  return terminated.find('\0') == std::string::npos &&
         (::inet_pton(AF_INET, terminated.c_str(), &address) == 1 ||
          ::inet_pton(AF_INET6, terminated.c_str(), &address) == 1);
}

Status must_be(std::string what) { return {Code::invalid_argument, "must be " + std::move(what)}; }

std::unique_ptr<FlagValue> flag_value(std::string* variable) {
  const auto read = [](std::string_view text) { return std::optional<std::string>(text); };
  return bound_value(variable, {"string", read, std::identity()});
}
std::unique_ptr<FlagValue> flag_value(bool* variable) {
  const auto write = [](bool value) { return std::string(value ? "true" : "false"); };
  return bound_value(variable, {"bool", parse_bool, write, "true or false", "true"});
}
std::unique_ptr<FlagValue> flag_value(int32_t* variable) {
  const auto write = [](int32_t value) { return std::to_string(value); };
  const std::string wanted = fmt::format("an integer from {} to {}", Limits::min(), Limits::max());
  return bound_value(variable, {"int", read_int32, write, wanted});
}
std::unique_ptr<FlagValue> flag_value(float* variable) {
  return bound_value(variable, {"float", parse_float, write_float, "a number"});
}
std::unique_ptr<FlagValue> flag_value(std::chrono::nanoseconds* variable) {
  return bound_value(variable, {"duration", parse_duration, format_duration,
                                "a duration such as 300ms, 1.5s, 5m or 1h30m"});
}
std::unique_ptr<FlagValue> ip_value(std::string* variable) {
  return bound_value(variable, {"ip", read_ip, std::identity(), "an IPv4 or IPv6 address"});
}
std::unique_ptr<FlagValue> flag_value(std::vector<std::string>* variable) {
  return bound_value(
      variable, {"strings", parse_csv, format_csv, "a list separated by commas, quotes balanced"});
}
std::unique_ptr<FlagValue> flag_value(std::vector<int32_t>* variable) {
  const auto write = [](const std::vector<int32_t>& list) {
    return fmt::format("{}", fmt::join(list, ","));
  };
  return bound_value(variable,
                     {"ints", read_int32_list, write, "a list of integers separated by commas"});
}

}  // namespace ccm::app

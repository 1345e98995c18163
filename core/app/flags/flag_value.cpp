#include "app/flags/flag_value.hpp"

#include "app/flags/go_values.hpp"
#include "base/duration.hpp"

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <utility>

namespace ccm::app {
namespace {

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

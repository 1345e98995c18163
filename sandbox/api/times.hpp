#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sandbox {

using Time = std::chrono::sys_time<std::chrono::microseconds>;

Time now();
// RFC 3339 in UTC with whole seconds, respectively six fractional digits (API-11).
std::string format_time(Time time);
std::string format_micro_time(Time time);
// Any RFC 3339 time; nothing if `text` is not one.
std::optional<Time> parse_time(std::string_view text);
// "5m", "3h20m", "12d": the age column of kubectl.
std::string format_age(std::chrono::seconds age);

}  // namespace sandbox

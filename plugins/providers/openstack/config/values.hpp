// The values of cloud.conf (OS-28..OS-31): what a text says as a boolean, a number, a duration.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ccm::openstack {

// true yes on 1, false no off 0, in any case.
std::optional<bool> parse_boolean(std::string_view text);

// Decimal, or hexadecimal with 0x in front; a zero in front makes no octal. Blanks around it are
// dropped.
std::optional<int64_t> parse_integer(std::string_view text);

// Go's form: "1m30s", "1.5h", "300ms", "0". Nothing also when it is negative or above 100 years.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// Whether the two are equal but for the case of ASCII letters.
bool equal_ignoring_case(std::string_view a, std::string_view b);

}  // namespace ccm::openstack

// SHA-1 (FIPS 180-4), for names of target groups alone: the Go manager makes them from it, and
// existing ones are found by them. Nothing here is a secret or a signature. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace ccm::aws {

// 40 lower-case hexadecimal digits.
std::string sha1_hex(std::string_view message);

}  // namespace ccm::aws

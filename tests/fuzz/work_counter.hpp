// How many branches the code of the plugins has taken that is compiled with
// -fsanitize-coverage=trace-pc: a measure of work that no clock and no other process disturbs.
#pragma once

#include <cstdint>

namespace ccm::fuzz {

uint64_t branches_taken();

}  // namespace ccm::fuzz

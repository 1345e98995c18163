// Compares the expectations of a scenario with the real state.
#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>

namespace ccm::e2e {

// Values that a scenario remembered under a name.
using Memory = std::map<std::string, nlohmann::json>;

// Empty if actual satisfies expected, else one line that names the place and the difference.
// Objects: every expected member must match, others may exist. Lists: same length, same order,
// element by element. A map with a key that starts with "$" is a condition on the value:
//   $matches: REGEX      a string that the expression matches somewhere
//   $sameAs: NAME        equal to a remembered value
//   $differsFrom: NAME   not equal to it
//   $atLeast: N, $atMost: N
//   $present: true       any value
//   $absent: true        there is no such member
std::string mismatch(const nlohmann::json& expected, const nlohmann::json& actual,
                     const Memory& memory);

}  // namespace ccm::e2e

// Go's spellings of booleans, as used in labels and annotations.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace ccm::service {

inline bool says_true(std::string_view value) {
  constexpr std::array<std::string_view, 6> kTrue{"1", "t", "T", "TRUE", "true", "True"};
  return std::find(kTrue.begin(), kTrue.end(), value) != kTrue.end();
}

inline bool says_false(std::string_view value) {
  constexpr std::array<std::string_view, 6> kFalse{"0", "f", "F", "FALSE", "false", "False"};
  return std::find(kFalse.begin(), kFalse.end(), value) != kFalse.end();
}

}  // namespace ccm::service

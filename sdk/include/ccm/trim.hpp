// ccm::trim: a text without the white space at both of its ends. [any-thread]
#pragma once

#include <cstddef>
#include <string_view>

namespace ccm {

// White space as Go and C define it in ASCII.
inline constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
// The part of it that stands within one line.
inline constexpr std::string_view kBlanks = " \t";

// `text` without those characters of `blanks` that are at either end.
// OWNERSHIP: points into `text`.
constexpr std::string_view trim(std::string_view text, std::string_view blanks = kWhiteSpace) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace ccm

// White space at both ends of a text. Any thread.
#pragma once

#include <cstddef>
#include <string_view>

namespace ccm {

inline constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";  // as Go and C have it
inline constexpr std::string_view kBlanks = " \t";              // within one line

// `text` without those of `blanks` that are at either end; points into `text`.
constexpr std::string_view trim(std::string_view text, std::string_view blanks = kWhiteSpace) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace ccm

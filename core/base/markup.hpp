// Texts within HTML and XML. Any thread.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {

// `text` with entities for those of its characters that are in `special`, a part of &<>"'.
inline std::string escaped(std::string_view text, std::string_view special) {
  constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string result;
  for (const char c : text) {
    const auto* const entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                            [c](const auto& one) { return one.first == c; });
    if (entity == std::end(kEntities) || special.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += entity->second;
    }
  }
  return result;
}

}  // namespace ccm

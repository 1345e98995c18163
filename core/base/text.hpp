// Texts for logs and pages: UTF-8, URLs without credentials, entities of HTML and XML. Any thread.
#pragma once

#include <ccm/utf8.hpp>

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {

// The value with user and password (RFC 3986, section 3.2.1) removed from the URLs in it.
std::string without_user_info(const std::string& value);

// `text` with entities for those of its characters that are in `special`, a part of &<>"'.
inline std::string escaped(std::string_view text, std::string_view special) {
  constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string result;
  for (const char c : text) {
    const auto* const entity =
        std::ranges::find(kEntities, c, [](const auto& pair) { return pair.first; });
    if (entity == std::end(kEntities) || special.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += entity->second;
    }
  }
  return result;
}

}  // namespace ccm

// Texts: UTF-8 at the borders of the process, where they may hold any bytes; URLs without
// credentials, and entities of HTML and XML, for logs and pages. Any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace ccm {

// Length of the well-formed sequence at the front of `text` (RFC 3629); 0 when there is none.
std::size_t utf8_length(std::string_view text);

[[nodiscard]] bool is_utf8(std::string_view text);

// A copy in which U+FFFD stands for each byte that belongs to no well-formed sequence.
std::string utf8_text(std::string_view text);

// The front of `text`, not longer than `limit` bytes and not cut within a character.
std::string_view utf8_front(std::string_view text, std::size_t limit);

// The value with user and password (RFC 3986, section 3.2.1) removed from the URLs in it.
std::string without_user_info(const std::string& value);

// `text` with entities for those of its characters that are in `special`, a part of &<>"'.
inline std::string escaped(std::string_view text, std::string_view special) {
  constexpr std::pair<char, std::string_view> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string result;
  for (const char c : text) {
    const auto* const entity = std::find_if(std::begin(kEntities), std::end(kEntities),
                                            [c](const auto& pair) { return pair.first == c; });
    if (entity == std::end(kEntities) || special.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += entity->second;
    }
  }
  return result;
}

}  // namespace ccm

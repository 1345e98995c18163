// Limits for JSON that somebody else wrote, checked before a parser sees it: a parser takes up to a
// hundred bytes for each value, and a stack frame or more for each level, whatever the text
// deserves. For any parser; ccm/json.hpp has the one for nlohmann's. [any-thread]
#pragma once

#include <ccm/status.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ccm {

struct JsonLimits {
  std::size_t bytes = 16u << 20;      // of the whole text
  std::size_t text_bytes = 1u << 20;  // of one text or number, or of the space between two
  std::size_t values = 500'000;       // names of members count, too
  std::size_t depth = 64;             // of arrays and objects in each other
};

// Whether a text stays within the limits. Looks at each byte once and takes no memory; it does not
// find out whether the text is JSON. Of values it counts one for each bracket, comma and colon, and
// one: at least as many as there are. Failure: resource_exhausted, "has more than 500000 values".
inline Status check_json(std::string_view text, const JsonLimits& limits = {}) {
  const auto beyond = [](const char* what, std::size_t limit, const char* unit) {
    return Status(Code::resource_exhausted, what + std::to_string(limit) + unit);
  };
  if (text.size() > limits.bytes) return beyond("is larger than ", limits.bytes, " bytes");
  std::size_t values = 1;
  std::size_t depth = 0;
  std::size_t begin = 0;  // of a text, number or space
  bool in_text = false;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (in_text && c == '\\') {
      ++at;
      continue;
    }
    if (in_text && c != '"' && at < text.size()) continue;
    switch (c) {
      case '"':
        in_text = !in_text;
        break;
      case '{':
      case '[':
        if (++depth > limits.depth) return beyond("nests deeper than ", limits.depth, " levels");
        ++values;
        break;
      case '}':
      case ']':
        if (depth > 0) --depth;
        break;
      case ',':
      case ':':
        ++values;
        break;
      default:
        continue;
    }
    if (at - begin > limits.text_bytes) {
      return beyond("has a text of more than ", limits.text_bytes, " bytes");
    }
    begin = at + 1;
  }
  // The end of the text has counted as a comma.
  if (values - 1 > limits.values) return beyond("has more than ", limits.values, " values");
  return {};
}

}  // namespace ccm

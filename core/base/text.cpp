#include "base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ccm {

namespace {

// Eight bytes at a time.
bool is_ascii(std::string_view text) {
  uint64_t all = 0;
  for (; text.size() >= sizeof(all); text.remove_prefix(sizeof(all))) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    all |= bytes;
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x8080808080808080) == 0;
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
  if (lead == 0xED && byte(1) >= 0xA0) return 0;  // surrogate
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) >= 0x90) return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  if (is_ascii(text)) return true;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string utf8_text(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

std::string_view utf8_front(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

std::string without_user_info(const std::string& value) {
  std::string shown;
  std::size_t begin = 0;
  for (auto scheme = value.find("://"); scheme != std::string::npos;
       scheme = value.find("://", begin)) {
    const auto authority = scheme + 3;
    const auto end = std::min(value.find_first_of("/?# ,;\"'", authority), value.size());
    const auto at = value.substr(0, end).rfind('@');
    const bool has_user = at != std::string::npos && at >= authority;
    shown += value.substr(begin, authority - begin);
    if (has_user) shown += "[redacted]";
    begin = has_user ? at : authority;
  }
  return shown + value.substr(begin);
}

}  // namespace ccm

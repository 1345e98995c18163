// Texts in UTF-8, which may hold any bytes where they come from outside. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace ccm {

struct Utf8Character {
  uint32_t value = 0;
  std::size_t length = 0;  // 0 when the text does not begin with one: RFC 3629, section 4
};

// The character at the front of `text`.
inline Utf8Character utf8_character(std::string_view text) {
  if (text.empty()) return {};
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) return {first, 1};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  uint32_t value = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0U) != 0x80) return {};
    value = value << 6U | (byte & 0x3FU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kLeast[length] || value > 0x10FFFF || surrogate) return {};
  return {value, length};
}

// Whether no byte is above 0x7F; eight at a time.
inline bool is_ascii(std::string_view text) {
  uint64_t all = 0;
  for (; text.size() >= sizeof(all); text.remove_prefix(sizeof(all))) {
    uint64_t bytes = 0;
    std::memcpy(&bytes, text.data(), sizeof(bytes));
    all |= bytes;
  }
  for (const char c : text) all |= static_cast<unsigned char>(c);
  return (all & 0x8080808080808080) == 0;
}

// Whether the text is UTF-8 from end to end.
inline bool is_utf8(std::string_view text) {
  if (is_ascii(text)) return true;
  while (!text.empty()) {
    const std::size_t length = utf8_character(text).length;
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

// A copy in which U+FFFD stands for each byte that belongs to no character.
inline std::string utf8_text(std::string_view text) {
  if (is_ascii(text)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = utf8_character(text).length;
    out += length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

// The front of `text`, not longer than `limit` bytes and not cut within a character.
inline std::string_view utf8_front(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

}  // namespace ccm

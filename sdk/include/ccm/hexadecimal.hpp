// Bytes as hexadecimal digits in lower case. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace ccm {

inline constexpr std::string_view kHexadecimalDigits = "0123456789abcdef";

// Appends the two digits of one byte.
inline void append_hexadecimal(std::string& text, unsigned char byte) {
  text += kHexadecimalDigits[byte >> 4U];
  text += kHexadecimalDigits[byte & 0xFU];
}

// Two digits for each byte.
inline std::string hexadecimal(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  for (const char c : bytes) append_hexadecimal(text, static_cast<unsigned char>(c));
  return text;
}

}  // namespace ccm

// Base64 with the alphabet of RFC 4648, 4: for Basic authorization, and for what APIs carry as
// text. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ccm {

namespace detail {

inline constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The value of one digit; 64 for a character that is none.
constexpr uint32_t base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<uint32_t>(c - 'a') + 26;
  if (c >= '0' && c <= '9') return static_cast<uint32_t>(c - '0') + 52;
  return c == '+' ? 62 : c == '/' ? 63 : 64;
}

}  // namespace detail

// Bytes in base64, with padding.
inline std::string base64_encode(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      group <<= 8U;
      if (at + i < bytes.size()) group |= static_cast<unsigned char>(bytes[at + i]);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      const bool padding = at + i > bytes.size();
      text += padding ? '=' : detail::kBase64Digits[group >> (18 - 6 * i) & 0x3FU];
    }
  }
  return text;
}

// The bytes of a text in base64, padding included; white space is skipped. Nothing for all else.
inline std::optional<std::string> base64_decode(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::size_t digits = 0;
  std::size_t padding = 0;
  uint32_t group = 0;
  for (const char c : text) {
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const uint32_t value = c == '=' ? 0 : detail::base64_value(c);
    if (value > 63 || (c != '=' && padding > 0)) return std::nullopt;
    if (c == '=') ++padding;
    group = group << 6U | value;
    if (++digits % 4 != 0) continue;
    for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(group >> shift & 0xFFU);
    group = 0;
  }
  if (digits % 4 != 0 || padding > 2) return std::nullopt;
  bytes.erase(bytes.size() - padding);
  return bytes;
}

}  // namespace ccm

#include "base/base64.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <cstddef>

namespace ccm {

std::string base64_encode(std::string_view bytes) {
  // OpenSSL ends it with a NUL, for which every string has a place.
  std::string out((bytes.size() + 2) / 3 * 4, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                  reinterpret_cast<const unsigned char*>(bytes.data()),
                  static_cast<int>(bytes.size()));
  return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string digits(text);
  std::erase_if(digits, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
  // OpenSSL takes '=' for a digit, and leaves out some characters at the ends.
  const auto is_digit = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  };
  const auto end = std::find_if_not(digits.begin(), digits.end(), is_digit);
  const auto padding = static_cast<std::size_t>(digits.end() - end);
  const bool padded =
      padding <= 2 && std::all_of(end, digits.end(), [](char c) { return c == '='; });
  if (!padded || digits.size() % 4 != 0) return std::nullopt;
  std::string out(digits.size() / 4 * 3, '\0');
  EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                  reinterpret_cast<const unsigned char*>(digits.data()),
                  static_cast<int>(digits.size()));
  out.erase(out.size() - padding);
  return out;
}

}  // namespace ccm

#include "api/continue_token.hpp"

#include <nlohmann/json.hpp>

namespace sandbox {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

}  // namespace

std::string base64url_encode(const std::string& bytes) {
  std::string out;
  unsigned value = 0;
  int bits = 0;
  for (char c : bytes) {
    value = value << 8 | static_cast<unsigned char>(c);
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      out.push_back(kLetters[value >> bits & 63]);
    }
  }
  if (bits > 0) out.push_back(kLetters[value << (6 - bits) & 63]);
  return out;
}

std::optional<std::string> base64url_decode(const std::string& text) {
  std::string out;
  unsigned value = 0;
  int bits = 0;
  for (char c : text) {
    std::size_t digit = kLetters.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    value = value << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out.push_back(static_cast<char>(value >> bits & 255));
    }
  }
  return out;
}

std::string ContinueToken::encode() const {
  nlohmann::json token = {{"v", "meta.k8s.io/v1"}, {"rv", revision}, {"start", last_key}};
  return base64url_encode(token.dump());
}

std::optional<ContinueToken> ContinueToken::decode(const std::string& text) {
  auto bytes = base64url_decode(text);
  if (!bytes) return std::nullopt;
  nlohmann::json token = nlohmann::json::parse(*bytes, nullptr, false);
  if (!token.is_object() || token.value("v", "") != "meta.k8s.io/v1") return std::nullopt;
  auto revision = token.find("rv");
  auto start = token.find("start");
  if (revision == token.end() || !revision->is_number_integer()) return std::nullopt;
  if (start == token.end() || !start->is_string()) return std::nullopt;
  return ContinueToken{*revision, *start};
}

}  // namespace sandbox

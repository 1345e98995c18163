#pragma once

#include <optional>
#include <string>

namespace sandbox {

// Where the next page begins. Opaque to clients.
struct ContinueToken {
  long long revision = 0;  // -1: at whatever is latest, after the pinned revision has expired
  std::string last_key;    // the page begins after this key

  std::string encode() const;
  static std::optional<ContinueToken> decode(const std::string& text);
};

std::string base64url_encode(const std::string& bytes);
std::optional<std::string> base64url_decode(const std::string& text);

}  // namespace sandbox

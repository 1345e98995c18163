// Base64 with the alphabet of RFC 4648, 4. Any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ccm {

std::string base64_encode(std::string_view bytes);
// White space is skipped; nothing when the text is not base64.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace ccm

#pragma once

#include <string>
#include <string_view>

namespace sandbox {

// RFC 4648, with padding: JSON's form of the bytes in Kubernetes' types.
std::string base64_encode(std::string_view bytes);
// Empty for a text that is none.
std::string base64_decode(std::string_view text);

}  // namespace sandbox

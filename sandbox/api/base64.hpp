#pragma once

#include <string>
#include <string_view>

namespace sandbox {

// RFC 4648, with padding: what JSON has where Kubernetes' types have bytes.
std::string base64_encode(std::string_view bytes);

}  // namespace sandbox

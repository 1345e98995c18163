#pragma once

#include "store/object.hpp"

#include <string_view>

namespace sandbox {

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// An object in Kubernetes' protobuf encoding as JSON, with apiVersion and kind. Clients that are
// built from Go types send it, `kubectl create service` among them. Only kinds whose fields have
// numbers in the schema table are read; others get ApiError 415, a malformed body 400. Fields
// without a number are left out.
Json parse_protobuf(std::string_view body);

}  // namespace sandbox

#pragma once

#include "store/object.hpp"

#include <string>
#include <string_view>

namespace sandbox {

struct Schema;

inline constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf";

// An object in Kubernetes' protobuf encoding as JSON, with apiVersion and kind. Clients that are
// built from Go types send it, `kubectl create service` among them. Only kinds whose fields have
// numbers in the schema table are read; others get ApiError 415, a malformed body 400. Fields
// without a number are left out.
Json parse_protobuf(std::string_view body);

// Whether objects of this type can be answered in protobuf: its fields have numbers.
bool has_protobuf(const Schema& schema);
// The message of an object, without its kind.
std::string encode_protobuf(const Schema& schema, const Json& object);
// The message in its envelope: magic number, apiVersion and kind.
std::string protobuf_envelope(std::string_view api_version, std::string_view kind,
                              std::string_view message);
// One field of a message that has bytes.
void append_protobuf(std::string& out, int number, std::string_view bytes);

}  // namespace sandbox

#pragma once

#include "api/request_info.hpp"

namespace sandbox {

// The body of a create or update as JSON, checked against size, media type and syntax. It may be
// sent as JSON, YAML or protobuf (protobuf.hpp).
Json parse_body(const http::Request& request);
// As above for any media type in `accepted`, a comma separated list.
Json parse_body(const http::Request& request, const std::string& accepted);

// Decodes `object` as `resource` in place: kind and apiVersion are checked and removed, the rest is
// normalised. Returns the Warning texts that fieldValidation asks for; throws ApiError 400.
std::vector<std::string> decode_object(const Resource& resource, const http::Request& request,
                                       Json& object);

// An answer with this body, status 200.
http::Response json_answer(const Json& body);

}  // namespace sandbox

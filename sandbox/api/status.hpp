#pragma once

#include "http/message.hpp"
#include "store/object.hpp"

#include <string>
#include <vector>

namespace sandbox {

struct Resource;

struct Cause {
  std::string reason;  // FieldValueInvalid, FieldValueRequired, FieldValueForbidden, ...
  std::string message;
  std::string field;
};

// A failed request: the content of the `Status` answer (API-12). Thrown by the request handlers and
// caught where the answer is made.
struct ApiError {
  int code;
  std::string reason;
  std::string message;
  Json details = nullptr;           // object, or null for none
  std::string continue_token = {};  // for 410 of a paged list
  int retry_after_s = -1;           // also sent as Retry-After when >= 0

  Json body() const;
  http::Response response() const;
};

ApiError not_found(const Resource& resource, const std::string& name);
ApiError already_exists(const Resource& resource, const std::string& name);
ApiError conflict(const Resource& resource, const std::string& name, const std::string& why);
ApiError modified_conflict(const Resource& resource, const std::string& name);
// A precondition of a deletion that does not hold; `what` is "UID" or "ResourceVersion".
ApiError failed_precondition(const Resource& resource, const std::string& name, const char* what,
                             const std::string& wanted, const std::string& stored,
                             const char* guess);
// 500 without a reason: the server's answer to an unexpected error.
ApiError unclassified(const std::string& message);
ApiError bad_request(const std::string& message);
// 422 with one cause for each finding.
ApiError invalid(const Resource& resource, const std::string& name, std::vector<Cause> causes);
ApiError forbidden(const Resource& resource, const std::string& name, const std::string& why);
ApiError expired(const std::string& message);
ApiError too_large_revision(Revision wanted, Revision current);
ApiError unsupported_media_type(const std::string& accepted);
ApiError method_not_allowed();
// The path names nothing on this server.
ApiError unknown_path();
ApiError unauthorized();

// The three shapes of a field error in the API's words.
Cause invalid_value(const std::string& field, const Json& value, const std::string& why);
Cause required_value(const std::string& field, const std::string& why);
Cause forbidden_value(const std::string& field, const std::string& why);
Cause duplicate_value(const std::string& field, const Json& value);
Cause not_supported(const std::string& field, const Json& value,
                    const std::vector<std::string>& supported);

// 200 `Status` of a deletion.
Json success_status(const Resource& resource, const Json& deleted);

}  // namespace sandbox

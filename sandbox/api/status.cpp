#include "api/status.hpp"

#include "api/resource.hpp"

namespace sandbox {
namespace {

Json details_of(const Resource& resource, const std::string& name) {
  Json details = Json::object();
  if (!name.empty()) details["name"] = name;
  if (!resource.group.empty()) details["group"] = resource.group;
  details["kind"] = resource.plural;
  return details;
}

std::string qualified(const Resource& resource) {
  return resource.group.empty() ? resource.plural : resource.plural + "." + resource.group;
}

std::string quoted(const std::string& text) { return Json(text).dump(); }

}  // namespace

Json ApiError::body() const {
  Json metadata = Json::object();
  if (!continue_token.empty()) metadata["continue"] = continue_token;
  Json status = {{"kind", "Status"},    {"apiVersion", "v1"}, {"metadata", metadata},
                 {"status", "Failure"}, {"message", message}, {"code", code}};
  if (!reason.empty()) status["reason"] = reason;
  if (details.is_object()) status["details"] = details;
  if (retry_after_s >= 0) status["details"]["retryAfterSeconds"] = retry_after_s;
  return status;
}

http::Response ApiError::response() const {
  http::Response response;
  response.status = code;
  response.body = body().dump(-1, ' ', false, Json::error_handler_t::replace);
  if (retry_after_s >= 0) {
    response.headers.emplace_back("Retry-After", std::to_string(retry_after_s));
  }
  return response;
}

ApiError not_found(const Resource& resource, const std::string& name) {
  return {404, "NotFound", qualified(resource) + " " + quoted(name) + " not found",
          details_of(resource, name)};
}

ApiError already_exists(const Resource& resource, const std::string& name) {
  return {409, "AlreadyExists", qualified(resource) + " " + quoted(name) + " already exists",
          details_of(resource, name)};
}

ApiError conflict(const Resource& resource, const std::string& name, const std::string& why) {
  return {
      409, "Conflict",
      "Operation cannot be fulfilled on " + qualified(resource) + " " + quoted(name) + ": " + why,
      details_of(resource, name)};
}

ApiError modified_conflict(const Resource& resource, const std::string& name) {
  return conflict(resource, name,
                  "the object has been modified; please apply your changes to the latest version "
                  "and try again");
}

ApiError bad_request(const std::string& message) { return {400, "BadRequest", message}; }

ApiError invalid(const Resource& resource, const std::string& name, std::vector<Cause> causes) {
  Json details = {{"causes", Json::array()}};
  if (!resource.kind.empty()) details["kind"] = resource.kind;
  if (!name.empty()) details["name"] = name;
  if (!resource.group.empty()) details["group"] = resource.group;
  std::string text;
  for (const Cause& cause : causes) {
    details["causes"].push_back(
        {{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
    text += (text.empty() ? "" : ", ") + cause.field + ": " + cause.message;
  }
  if (causes.size() > 1) text = "[" + text + "]";
  std::string kind = resource.group.empty() ? resource.kind : resource.kind + "." + resource.group;
  return {422, "Invalid", kind + " " + quoted(name) + " is invalid: " + text, details};
}

ApiError failed_precondition(const Resource& resource, const std::string& name, const char* what,
                             const std::string& wanted, const std::string& stored,
                             const char* guess) {
  // Here the server names the kind, not the plural.
  Resource subject;
  subject.group = resource.group;
  subject.plural = resource.kind;
  return conflict(subject, name,
                  "the " + std::string(what) + " in the precondition (" + wanted +
                      ") does not match the " + what + " in record (" + stored +
                      "). The object might have been " + guess);
}

ApiError unclassified(const std::string& message) { return {500, "", message}; }

ApiError forbidden(const Resource& resource, const std::string& name, const std::string& why) {
  std::string subject =
      name.empty() ? qualified(resource) : qualified(resource) + " " + quoted(name);
  return {403, "Forbidden", subject + " is forbidden: " + why, details_of(resource, name)};
}

ApiError expired(const std::string& message) { return {410, "Expired", message}; }

ApiError too_large_revision(Revision wanted, Revision current) {
  ApiError error{504, "Timeout",
                 "Too large resource version: " + std::to_string(wanted) +
                     ", current: " + std::to_string(current)};
  Json cause = {{"reason", "ResourceVersionTooLarge"}, {"message", "Too large resource version"}};
  error.details = {{"causes", Json::array({cause})}};
  error.retry_after_s = 1;
  return error;
}

ApiError unsupported_media_type(const std::string& accepted) {
  return {415, "UnsupportedMediaType",
          "the body of the request was in an unknown format - accepted media types include: " +
              accepted};
}

ApiError method_not_allowed() {
  return {405, "MethodNotAllowed",
          "the server does not allow this method on the requested resource", Json::object()};
}

ApiError unknown_path() {
  return {404, "NotFound", "the server could not find the requested resource", Json::object()};
}

ApiError unauthorized() { return {401, "Unauthorized", "Unauthorized"}; }

Cause invalid_value(const std::string& field, const Json& value, const std::string& why) {
  return {"FieldValueInvalid", "Invalid value: " + value.dump() + ": " + why, field};
}

Cause required_value(const std::string& field, const std::string& why) {
  return {"FieldValueRequired", why.empty() ? "Required value" : "Required value: " + why, field};
}

Cause forbidden_value(const std::string& field, const std::string& why) {
  return {"FieldValueForbidden", "Forbidden: " + why, field};
}

Cause duplicate_value(const std::string& field, const Json& value) {
  return {"FieldValueDuplicate", "Duplicate value: " + value.dump(), field};
}

Cause not_supported(const std::string& field, const Json& value,
                    const std::vector<std::string>& supported) {
  std::string list;
  for (const std::string& one : supported) list += (list.empty() ? "" : ", ") + quoted(one);
  return {"FieldValueNotSupported",
          "Unsupported value: " + value.dump() + ": supported values: " + list, field};
}

Json success_status(const Resource& resource, const Json& deleted) {
  Json details = details_of(resource, metadata_text(deleted, "name"));
  details["uid"] = metadata_text(deleted, "uid");
  return {{"kind", "Status"},
          {"apiVersion", "v1"},
          {"metadata", Json::object()},
          {"status", "Success"},
          {"details", details}};
}

}  // namespace sandbox

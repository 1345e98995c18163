#include "api/body.hpp"

#include "api/protobuf.hpp"
#include "api/yaml.hpp"

#include <stdexcept>

namespace sandbox {
namespace {

bool contains_type(const std::string& accepted, const std::string& type) {
  return ("," + accepted + ",").find("," + type + ",") != std::string::npos;
}

// Writing JSON out recurses, so its depth has to be bounded before anything touches it.
bool too_deep(const std::string& text) {
  constexpr int kMaxDepth = 500;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxDepth) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

void check_type_member(Json& object, const char* member, const std::string& wanted,
                       const char* what) {
  auto found = object.find(member);
  if (found == object.end()) return;
  std::string given = found->is_string() ? found->get<std::string>() : found->dump();
  object.erase(found);
  if (given.empty() || given == wanted) return;
  throw bad_request("the " + std::string(what) + " in the data (" + given +
                    ") does not match the expected " + what + " (" + wanted + ")");
}

}  // namespace

Json parse_body(const http::Request& request, const std::string& accepted) {
  if (request.body_too_large) {
    throw ApiError{413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"};
  }
  std::string type = request.content_type.empty() ? "application/json" : request.content_type;
  if (!contains_type(accepted, type)) throw unsupported_media_type(accepted);
  if (type == kProtobuf) return parse_protobuf(request.body);
  bool yaml = type.ends_with("yaml");
  // JSON is YAML, but faster to parse as JSON.
  if (yaml && !request.body.starts_with("{")) {
    try {
      return parse_yaml(request.body);
    } catch (const std::invalid_argument& error) {
      throw bad_request("error decoding request body: " + std::string(error.what()));
    }
  }
  if (too_deep(request.body)) throw bad_request("error decoding request body: nested too deeply");
  try {
    return Json::parse(request.body);
  } catch (const Json::parse_error& error) {
    throw bad_request("error decoding request body: " + std::string(error.what()));
  }
}

Json parse_body(const http::Request& request) {
  return parse_body(request,
                    "application/json,application/yaml,application/vnd.kubernetes.protobuf");
}

std::vector<std::string> decode_object(const Resource& resource, const http::Request& request,
                                       Json& object) {
  if (!object.is_object()) throw bad_request("the object provided is unrecognized");
  check_type_member(object, "apiVersion", resource.api_version(), "API version");
  check_type_member(object, "kind", resource.kind, "kind");
  DecodeNotes notes;
  normalise(*resource.schema, object, notes);
  if (!notes.error.empty()) {
    throw bad_request(resource.kind + " in version \"" + resource.version +
                      "\" cannot be handled as a " + resource.kind + ": " + notes.error);
  }
  std::vector<std::string> warnings;
  const std::string& validation = request.query.get("fieldValidation");
  if (validation == "Ignore") return warnings;
  std::string all;
  for (const std::string& path : notes.unknown_fields) {
    warnings.push_back("unknown field \"" + path + "\"");
    all += (all.empty() ? "" : ", ") + warnings.back();
  }
  if (validation == "Strict" && !all.empty()) {
    throw bad_request(resource.kind + " in version \"" + resource.version +
                      "\" cannot be handled as a " + resource.kind +
                      ": strict decoding error: " + all);
  }
  return warnings;
}

http::Response json_answer(const Json& body) {
  http::Response response;
  response.body = body.dump() + "\n";
  return response;
}

}  // namespace sandbox

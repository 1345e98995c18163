#include "api/body.hpp"
#include "api/patch/patch.hpp"
#include "api/server_side_apply.hpp"
#include "api/write_requests.hpp"

namespace sandbox {
namespace {

const char* const kPatchTypes =
    "application/json-patch+json,application/merge-patch+json,"
    "application/strategic-merge-patch+json,application/apply-patch+yaml";

Json patched(const Resource& resource, const std::string& type, Json object, Json patch) {
  if (type == "application/json-patch+json") return apply_json_patch(object, patch);
  if (type == "application/merge-patch+json") return apply_merge_patch(std::move(object), patch);
  return apply_strategic_patch(std::move(object), std::move(patch), *resource.schema);
}

ApiError patch_failure(const Resource& resource, const PatchError& error, const std::string& type) {
  if (error.malformed) return bad_request(error.what());
  if (type == "application/json-patch+json") {
    ApiError failure{422, "Invalid",
                     "the server rejected our request due to an error in our request"};
    failure.details = Json::object();
    return failure;
  }
  ApiError failure = bad_request(error.what());
  if (!resource.kind.empty()) failure.details = {{"kind", resource.plural}};
  return failure;
}

// A patch that leads to an object which cannot be decoded.
ApiError undecodable(const ApiError& error) {
  ApiError failure{422, "Invalid", " \"\" is invalid: patch: Invalid value: " + error.message};
  Json cause = {{"reason", "FieldValueInvalid"},
                {"message", "Invalid value: " + error.message},
                {"field", "patch"}};
  failure.details = {{"causes", Json::array({cause})}};
  return failure;
}

void check_identity(const RequestInfo& info, const Json& object) {
  const std::string& name = metadata_text(object, "name");
  if (name != info.name) {
    throw bad_request("the name of the object (" + name + ") does not match the name on the URL (" +
                      info.name + ")");
  }
  if (info.resource->namespaced && metadata_text(object, "namespace") != info.name_space) {
    throw bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
}

// Only a PUT takes the uid as a precondition; a patch that differs wants to change the field.
void check_uid(const Resource& resource, const Object& old, const Json& object) {
  const std::string& uid = metadata_text(object, "uid");
  if (uid.empty() || uid == metadata_text(old.value, "uid")) return;
  throw invalid(resource, metadata_text(old.value, "name"),
                {invalid_value("metadata.uid", uid, "field is immutable")});
}

}  // namespace

http::Response handle_patch(Store& store, Writer& writer, const RequestInfo& info,
                            const http::Request& request) {
  const Resource& resource = *info.resource;
  // A missing Content-Type is no patch type.
  if (request.content_type.empty()) throw unsupported_media_type(kPatchTypes);
  Json patch = parse_body(request, kPatchTypes);

  if (request.content_type == "application/apply-patch+yaml") {
    return handle_apply(store, writer, info, request, std::move(patch));
  }
  ObjectPtr old =
      store.collection(resource.index).find(object_key(resource, info.name_space, info.name));
  if (!old) throw not_found(resource, info.name);
  Json object = old->value;
  object["kind"] = resource.kind;
  object["apiVersion"] = resource.api_version();
  try {
    object = patched(resource, request.content_type, std::move(object), std::move(patch));
  } catch (const PatchTooLarge& error) {
    throw ApiError{413, "RequestEntityTooLarge", error.what()};
  } catch (const PatchError& error) {
    throw patch_failure(resource, error, request.content_type);
  }
  std::vector<std::string> warnings;
  try {
    warnings = decode_object(resource, request, object);
  } catch (const ApiError& error) {
    throw undecodable(error);
  }
  check_identity(info, object);
  check_uid(resource, *old, object);
  auto result =
      writer.update(resource, old, std::move(object), info.subresource, is_dry_run(request));
  return write_answer(resource, result, request, warnings);
}

}  // namespace sandbox

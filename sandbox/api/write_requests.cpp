#include "api/write_requests.hpp"

#include "api/body.hpp"
#include "api/reader.hpp"
#include "api/view.hpp"

namespace sandbox {
namespace {

ObjectPtr find(const Store& store, const RequestInfo& info) {
  const Resource& resource = *info.resource;
  return store.collection(resource.index).find(object_key(resource, info.name_space, info.name));
}

void check_name(const RequestInfo& info, const Json& object) {
  const std::string& name = metadata_text(object, "name");
  if (!name.empty() && name != info.name) {
    throw bad_request("the name of the object (" + name + ") does not match the name on the URL (" +
                      info.name + ")");
  }
  if (name.empty()) {
    throw bad_request("the name of the object (" + info.name +
                      " based on URL) was undeterminable: name must be provided");
  }
}

void check_namespace_member(const RequestInfo& info, Json& object) {
  if (!info.resource->namespaced) {
    object["metadata"].erase("namespace");
    return;
  }
  const std::string& name_space = metadata_text(object, "namespace");
  if (!name_space.empty() && name_space != info.name_space) {
    throw bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
}

void check_delete_preconditions(const Resource& resource, const Object& object,
                                const Json& options) {
  const Json& preconditions = member_or_null(options, "preconditions");
  const std::string& name = metadata_text(object.value, "name");
  const std::string& uid = metadata_text(object.value, "uid");
  if (!preconditions.is_object()) return;
  std::string wanted_uid = preconditions.value("uid", "");
  if (!wanted_uid.empty() && wanted_uid != uid) {
    throw failed_precondition(resource, name, "UID", wanted_uid, uid, "deleted and then recreated");
  }
  std::string wanted = preconditions.value("resourceVersion", "");
  std::string stored = std::to_string(object.revision);
  if (!wanted.empty() && wanted != stored) {
    throw failed_precondition(resource, name, "ResourceVersion", wanted, stored, "modified");
  }
}

Json parse_delete_options(const http::Request& request) {
  if (request.body.empty() && !request.body_too_large) return Json::object();
  Json options = parse_body(request);
  if (!options.is_object()) throw bad_request("DeleteOptions has to be an object");
  for (const char* member : {"uid", "resourceVersion"}) {
    const Json& value = member_or_null(member_or_null(options, "preconditions"), member);
    if (!value.is_null() && !value.is_string()) {
      throw bad_request("preconditions." + std::string(member) + " has to be a string");
    }
  }
  return options;
}

bool delete_is_dry(const http::Request& request, const Json& options) {
  return is_dry_run(request) || !member_or_null(options, "dryRun").empty();
}

}  // namespace

bool is_dry_run(const http::Request& request) {
  const std::string& value = request.query.get("dryRun");
  if (!value.empty() && value != "All") {
    throw bad_request("invalid dryRun value \"" + value + "\": supported values: \"All\"");
  }
  return !value.empty();
}

http::Response write_answer(const Resource& resource, const Writer::Result& result,
                            const http::Request& request,
                            const std::vector<std::string>& warnings) {
  http::Response response;
  response.status = result.created ? 201 : 200;
  const View view = parse_accept(request.accept, resource);
  response.content_type = content_type(view);
  response.body = encode_object(resource, *result.object, view);
  for (const std::string& warning : warnings) {
    response.headers.emplace_back("Warning", "299 - " + Json(warning).dump());
  }
  return response;
}

http::Response handle_create(Writer& writer, const RequestInfo& info,
                             const http::Request& request) {
  parse_accept(request.accept, *info.resource);
  Json object = parse_body(request);
  auto warnings = decode_object(*info.resource, request, object);
  check_namespace_member(info, object);
  Writer::Result result =
      writer.create(*info.resource, info.name_space, std::move(object), is_dry_run(request));
  return write_answer(*info.resource, result, request, warnings);
}

http::Response handle_update(Store& store, Writer& writer, const RequestInfo& info,
                             const http::Request& request) {
  const Resource& resource = *info.resource;
  parse_accept(request.accept, resource);
  Json object = parse_body(request);
  auto warnings = decode_object(resource, request, object);
  check_name(info, object);
  check_namespace_member(info, object);
  ObjectPtr old = find(store, info);
  if (!old) {
    bool creates = resource.create_on_update && info.subresource.empty();
    if (!creates) throw not_found(resource, info.name);
    if (!metadata_text(object, "resourceVersion").empty()) {
      throw not_found(resource, info.name);
    }
    auto created = writer.create(resource, info.name_space, std::move(object), is_dry_run(request));
    return write_answer(resource, created, request, warnings);
  }
  auto result =
      writer.update(resource, old, std::move(object), info.subresource, is_dry_run(request));
  return write_answer(resource, result, request, warnings);
}

http::Response handle_delete(Store& store, Writer& writer, const RequestInfo& info,
                             const http::Request& request) {
  const Resource& resource = *info.resource;
  Json options = parse_delete_options(request);
  ObjectPtr old = find(store, info);
  if (!old) throw not_found(resource, info.name);
  check_delete_preconditions(resource, *old, options);
  Writer::Result result = writer.remove(resource, old, delete_is_dry(request, options));
  if (!result.removed || resource.returns_deleted) {
    return write_answer(resource, result, request, {});
  }
  http::Response response;
  response.body = success_status(resource, old->value).dump() + "\n";
  return response;
}

http::Response handle_delete_collection(Store& store, Writer& writer, const RequestInfo& info,
                                        const http::Request& request) {
  const Resource& resource = *info.resource;
  Json options = parse_delete_options(request);
  Selector selector = parse_selector(info, request);
  std::vector<ObjectPtr> selected;
  for (const auto& item : store.collection(resource.index).objects()) {
    if (selector.matches(resource, *item.second)) selected.push_back(item.second);
  }
  for (const ObjectPtr& object : selected) {
    writer.remove(resource, object, delete_is_dry(request, options));
  }
  ListMeta meta;
  meta.revision = store.revision();
  http::Response response;
  response.body = encode_list(resource, selected, meta, View::kObject);
  return response;
}

}  // namespace sandbox

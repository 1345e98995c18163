#include "api/view.hpp"

#include "api/protobuf.hpp"
#include "api/schema.hpp"

namespace sandbox {
namespace {

std::string trimmed(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c != ' ') out.push_back(c);
  }
  return out;
}

std::string parameter(std::string_view entry, std::string_view name) {
  std::string wanted = ";" + std::string(name) + "=";
  std::size_t at = entry.find(wanted);
  if (at == std::string_view::npos) return "";
  std::string_view rest = entry.substr(at + wanted.size());
  return std::string(rest.substr(0, rest.find(';')));
}

std::string text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json partial(const Object& object, const char* kind) {
  return {{"kind", kind}, {"apiVersion", "meta.k8s.io/v1"}, {"metadata", object.value["metadata"]}};
}

Json table_row(const Resource& resource, const Object& object) {
  return {{"cells", table_cells(resource, object)},
          {"object", partial(object, "PartialObjectMetadata")}};
}

Json table(const Resource& resource, Json rows, Json meta) {
  return {{"kind", "Table"},
          {"apiVersion", "meta.k8s.io/v1"},
          {"metadata", std::move(meta)},
          {"columnDefinitions", table_columns(resource)},
          {"rows", std::move(rows)}};
}

Json list_meta(const ListMeta& meta) {
  Json result = {{"resourceVersion", std::to_string(meta.revision)}};
  if (!meta.continue_token.empty()) {
    result["continue"] = meta.continue_token;
    if (meta.remaining >= 0) result["remainingItemCount"] = meta.remaining;
  }
  return result;
}

// A list of objects: metadata = 1, items = 2.
std::string protobuf_list(const Resource& resource, const std::vector<ObjectPtr>& objects,
                          const ListMeta& meta) {
  std::string list;
  append_protobuf(list, 1, encode_protobuf(*find_schema("ListMeta"), list_meta(meta)));
  for (const ObjectPtr& object : objects) {
    append_protobuf(list, 2, encode_protobuf(*resource.schema, object->value));
  }
  return protobuf_envelope(resource.api_version(), resource.kind + "List", list);
}

std::string protobuf_object(const Resource& resource, const Json& object) {
  return protobuf_envelope(resource.api_version(), resource.kind,
                           encode_protobuf(*resource.schema, object));
}

std::string protobuf_status(const ApiError& error) {
  return protobuf_envelope("v1", "Status", encode_protobuf(*find_schema("Status"), error.body()));
}

// A frame: its length in four bytes, then the event: type = 1, object = 2, which has raw = 1.
void append_protobuf_event(std::string& out, std::string_view type, std::string_view object) {
  std::string raw;
  append_protobuf(raw, 1, object);
  std::string event;
  append_protobuf(event, 1, type);
  append_protobuf(event, 2, raw);
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(event.size() >> shift & 0xff);
  out += event;
}

// The media type of an entry of Accept is `type`, and it asks for no other form of the object.
bool asks_for(std::string_view entry, std::string_view type) {
  return entry.substr(0, entry.find(';')) == type && parameter(entry, "as").empty();
}

}  // namespace

std::string content_type(View view) {
  return std::string(view == View::kProtobuf ? kProtobuf : "application/json");
}

http::Response failure_answer(const ApiError& error, const http::Request& request) {
  http::Response response = error.response();
  const std::string accept = trimmed(request.accept);
  if (!asks_for(accept.substr(0, accept.find(',')), kProtobuf)) return response;
  response.content_type = kProtobuf;
  response.body = protobuf_status(error);
  return response;
}

View parse_accept(const std::string& accept, const Resource& resource) {
  std::string_view rest = accept;
  if (rest.empty()) return View::kObject;
  while (!rest.empty()) {
    std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    std::string entry = trimmed(part);
    std::string type = entry.substr(0, entry.find(';'));
    if (asks_for(entry, kProtobuf) && has_protobuf(*resource.schema)) return View::kProtobuf;
    if (type != "application/json" && type != "*/*" && type != "application/*") continue;
    std::string as = parameter(entry, "as");
    if (as.empty()) return View::kObject;
    if (parameter(entry, "g") != "meta.k8s.io" || parameter(entry, "v") != "v1") continue;
    if (as == "Table") return View::kTable;
    if (as == "PartialObjectMetadata" || as == "PartialObjectMetadataList") return View::kPartial;
  }
  throw ApiError{406, "NotAcceptable",
                 "only the following media types are accepted: application/json, "
                 "application/json;stream=watch"};
}

void append_object(std::string& out, const Resource& resource, const Object& object, View view) {
  if (view == View::kObject) {
    out += resource.prefix;
    out += ',';
    out.append(object.bytes, 1);
  } else if (view == View::kPartial) {
    out += text(partial(object, "PartialObjectMetadata"));
  } else if (view == View::kProtobuf) {
    out += protobuf_object(resource, object.value);
  } else {
    Json meta = {{"resourceVersion", std::to_string(object.revision)}};
    out += text(table(resource, Json::array({table_row(resource, object)}), meta));
  }
}

std::string encode_object(const Resource& resource, const Object& object, View view) {
  std::string out;
  out.reserve(object.bytes.size() + resource.prefix.size() + 8);
  append_object(out, resource, object, view);
  if (view != View::kProtobuf) out += '\n';
  return out;
}

std::string encode_list(const Resource& resource, const std::vector<ObjectPtr>& objects,
                        const ListMeta& meta, View view) {
  if (view == View::kProtobuf) return protobuf_list(resource, objects, meta);
  if (view == View::kTable) {
    Json rows = Json::array();
    for (const ObjectPtr& object : objects) rows.push_back(table_row(resource, *object));
    return text(table(resource, std::move(rows), list_meta(meta))) + "\n";
  }
  bool whole = view == View::kObject;
  std::string out = whole ? "{\"kind\":\"" + resource.kind + "List\",\"apiVersion\":\"" +
                                resource.api_version() + "\""
                          : "{\"kind\":\"PartialObjectMetadataList\","
                            "\"apiVersion\":\"meta.k8s.io/v1\"";
  out += ",\"metadata\":" + text(list_meta(meta)) + ",\"items\":[";
  bool first = true;
  for (const ObjectPtr& object : objects) {
    if (!first) out += ',';
    first = false;
    if (whole) {
      out += object->bytes;
    } else {
      append_object(out, resource, *object, view);
    }
  }
  return out + "]}\n";
}

void append_event(std::string& out, const Resource& resource, const char* type,
                  const Object& object, View view) {
  if (view == View::kProtobuf) {
    return append_protobuf_event(out, type, protobuf_object(resource, object.value));
  }
  out += "{\"type\":\"";
  out += type;
  out += "\",\"object\":";
  append_object(out, resource, object, view);
  out += "}\n";
}

void append_bookmark(std::string& out, const Resource& resource, Revision revision,
                     bool end_of_initial_events, View view) {
  Json metadata = {{"resourceVersion", std::to_string(revision)}, {"creationTimestamp", nullptr}};
  if (end_of_initial_events) {
    metadata["annotations"] = {{"k8s.io/initial-events-end", "true"}};
  }
  Json object = {{"kind", resource.kind}, {"apiVersion", resource.api_version()}};
  if (view == View::kPartial) {
    object = {{"kind", "PartialObjectMetadata"}, {"apiVersion", "meta.k8s.io/v1"}};
  }
  object["metadata"] = metadata;
  if (view == View::kProtobuf) {
    return append_protobuf_event(out, "BOOKMARK", protobuf_object(resource, object));
  }
  if (view == View::kTable) object = table(resource, Json::array(), metadata);
  out += text({{"type", "BOOKMARK"}, {"object", object}}) + "\n";
}

void append_error(std::string& out, const ApiError& error, View view) {
  if (view == View::kProtobuf) {
    return append_protobuf_event(out, "ERROR", protobuf_status(error));
  }
  out += text({{"type", "ERROR"}, {"object", error.body()}}) + "\n";
}

}  // namespace sandbox

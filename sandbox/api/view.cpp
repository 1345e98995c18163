#include "api/view.hpp"

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

}  // namespace

View parse_accept(const std::string& accept) {
  std::string_view rest = accept;
  if (rest.empty()) return View::kObject;
  while (!rest.empty()) {
    std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    std::string entry = trimmed(part);
    std::string type = entry.substr(0, entry.find(';'));
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
  } else {
    Json meta = {{"resourceVersion", std::to_string(object.revision)}};
    out += text(table(resource, Json::array({table_row(resource, object)}), meta));
  }
}

std::string encode_object(const Resource& resource, const Object& object, View view) {
  std::string out;
  out.reserve(object.bytes.size() + resource.prefix.size() + 8);
  append_object(out, resource, object, view);
  out += '\n';
  return out;
}

std::string encode_list(const Resource& resource, const std::vector<ObjectPtr>& objects,
                        const ListMeta& meta, View view) {
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
  if (view == View::kTable) object = table(resource, Json::array(), metadata);
  out += text({{"type", "BOOKMARK"}, {"object", object}}) + "\n";
}

void append_error(std::string& out, const ApiError& error) {
  out += text({{"type", "ERROR"}, {"object", error.body()}}) + "\n";
}

}  // namespace sandbox

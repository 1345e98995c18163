#include "api/server_side_apply.hpp"

#include "api/body.hpp"
#include "api/times.hpp"

#include <sstream>

namespace sandbox {
namespace {

std::vector<std::string> split_keys(const std::string& keys) {
  std::vector<std::string> list;
  std::istringstream stream(keys);
  for (std::string key; std::getline(stream, key, ',');) list.push_back(key);
  return list;
}

// Lists of structs with keys, and sets of primitives, are merged; all others are atomic.
bool is_keyed(const Field& field) {
  return field.type == FieldType::kList && field.structure != nullptr && !field.set_key.empty();
}
bool is_set(const Field& field) {
  return field.type == FieldType::kList && field.structure == nullptr && field.merge;
}

Json key_of(const Json& member, const Field& field) {
  Json key = Json::object();
  for (const std::string& name : split_keys(field.set_key)) {
    // Ports without a protocol are TCP ports.
    key[name] = member.contains(name) ? member[name] : name == "protocol" ? Json("TCP") : Json();
  }
  return key;
}

Json* find_member(Json& list, const Json& key, const Field& field) {
  for (Json& member : list) {
    if (key_of(member, field) == key) return &member;
  }
  return nullptr;
}

Json list_set(const Json& list, const Field& field) {
  Json set = Json::object();
  for (const Json& member : list) {
    if (is_set(field)) {
      set["v:" + member.dump()] = Json::object();
    } else {
      Json inner = field_set(member, *field.structure);
      inner["."] = Json::object();
      set["k:" + key_of(member, field).dump()] = inner;
    }
  }
  return set;
}

void merge_applied(Json& live, const Json& applied, const Schema& schema);

void merge_list(Json& live, const Json& applied, const Field& field) {
  if (!live.is_array()) live = Json::array();
  for (const Json& member : applied) {
    if (is_set(field)) {
      if (std::find(live.begin(), live.end(), member) == live.end()) live.push_back(member);
      continue;
    }
    Json* found = find_member(live, key_of(member, field), field);
    if (found == nullptr) {
      live.push_back(member);
    } else {
      merge_applied(*found, member, *field.structure);
    }
  }
}

void merge_applied(Json& live, const Json& applied, const Schema& schema) {
  for (auto item = applied.begin(); item != applied.end(); ++item) {
    const Field* field = schema.find(item.key());
    Json& target = live[item.key()];
    if (field == nullptr) {
      target = *item;
    } else if (field->type == FieldType::kStruct) {
      if (!target.is_object()) target = Json::object();
      merge_applied(target, *item, *field->structure);
    } else if (field->type == FieldType::kMap) {
      if (!target.is_object()) target = Json::object();
      target.update(*item);
    } else if (is_keyed(*field) || is_set(*field)) {
      merge_list(target, *item, *field);
    } else {
      target = *item;
    }
  }
}

// Removes from `live` the fields that `before` owned and `now_owned` no longer names.
void remove_abandoned(Json& live, const Json& before, const Json& now_owned, const Schema& schema);

void remove_from_list(Json& live, const Json& before, const Json& owned, const Field& field) {
  for (auto item = before.begin(); item != before.end(); ++item) {
    const std::string& name = item.key();
    if (owned.contains(name)) {
      if (!is_keyed(field)) continue;
      Json* member = find_member(live, Json::parse(name.substr(2)), field);
      if (member != nullptr) remove_abandoned(*member, *item, owned[name], *field.structure);
      continue;
    }
    Json wanted = Json::parse(name.substr(2));
    for (auto at = live.begin(); at != live.end();) {
      bool same = is_keyed(field) ? key_of(*at, field) == wanted : *at == wanted;
      at = same ? live.erase(at) : std::next(at);
    }
  }
}

void remove_abandoned(Json& live, const Json& before, const Json& owned, const Schema& schema) {
  for (auto item = before.begin(); item != before.end(); ++item) {
    if (!item.key().starts_with("f:")) continue;
    std::string name = item.key().substr(2);
    auto target = live.find(name);
    if (target == live.end()) continue;
    const Field* field = schema.find(name);
    bool still = owned.contains(item.key());
    Json rest = still ? owned[item.key()] : Json::object();
    if (field != nullptr && field->type == FieldType::kStruct) {
      remove_abandoned(*target, *item, rest, *field->structure);
    } else if (field != nullptr && field->type == FieldType::kMap) {
      for (auto key = item->begin(); key != item->end(); ++key) {
        if (!rest.contains(key.key()) && key.key().starts_with("f:")) {
          target->erase(key.key().substr(2));
        }
      }
    } else if (field != nullptr && (is_keyed(*field) || is_set(*field))) {
      remove_from_list(*target, *item, rest, *field);
    } else if (!still) {
      live.erase(target);
    }
  }
}

// Leaves that both sets own, as "f:spec.f:type".
void common_leaves(const Json& ours, const Json& theirs, const std::string& path,
                   std::vector<std::string>& found) {
  for (auto item = ours.begin(); item != ours.end(); ++item) {
    auto other = theirs.find(item.key());
    if (other == theirs.end() || item.key() == "." || item.key().starts_with("v:")) continue;
    std::string here =
        path + "." +
        (item.key().starts_with("f:") ? item.key().substr(2) : "[" + item.key().substr(2) + "]");
    if (item->empty() && other->empty()) {
      found.push_back(here);
    } else {
      common_leaves(*item, *other, here, found);
    }
  }
}

class Applier {
 public:
  Applier(const Resource& resource, const RequestInfo& info, const http::Request& request)
      : resource_(resource),
        info_(info),
        request_(request),
        manager_(request.query.get("fieldManager")) {
    if (manager_.empty()) {
      throw invalid(options_resource(), "",
                    {required_value("fieldManager", "is required for apply patch")});
    }
  }

  Json merge(const Json& live, const Json& applied) {
    Json owned = field_set(applied, *resource_.schema);
    drop_identity(owned);
    Json result = live;
    for (const Json& entry : member_or_null(live["metadata"], "managedFields")) {
      bool ours = is_ours(entry);
      if (ours) remove_abandoned(result, entry["fieldsV1"], owned, *resource_.schema);
    }
    Json merged = result;
    merge_applied(merged, applied, *resource_.schema);
    if (!request_.query.flag("force")) check_conflicts(live, merged, owned);
    record(merged, owned);
    return merged;
  }

 private:
  static Resource options_resource() {
    Resource options;
    options.group = "meta.k8s.io";
    options.kind = "PatchOptions";
    return options;
  }
  bool is_ours(const Json& entry) const {
    return entry.value("manager", "") == manager_ && entry.value("operation", "") == "Apply" &&
           entry.value("subresource", "") == info_.subresource;
  }
  static void drop_identity(Json& owned) {
    auto metadata = owned.find("f:metadata");
    if (metadata == owned.end()) return;
    for (const char* member : {"f:name", "f:namespace", "f:uid", "f:resourceVersion",
                               "f:creationTimestamp", "f:managedFields"}) {
      metadata->erase(member);
    }
    if (metadata->empty()) owned.erase("f:metadata");
  }

  // A field owned by another applier may be set to its present value, not to another one.
  void check_conflicts(const Json& live, const Json& merged, const Json& owned) const {
    if (live == merged) return;
    std::vector<Cause> causes;
    for (const Json& entry : member_or_null(live["metadata"], "managedFields")) {
      if (is_ours(entry) || entry.value("operation", "") != "Apply") continue;
      std::vector<std::string> paths;
      common_leaves(owned, entry["fieldsV1"], "", paths);
      for (const std::string& path : paths) {
        if (same_value(live, merged, path)) continue;
        causes.push_back(
            {"FieldManagerConflict", "conflict with \"" + entry.value("manager", "") + "\"", path});
      }
    }
    if (causes.empty()) return;
    ApiError error{409, "Conflict",
                   "Apply failed with " + std::to_string(causes.size()) + " conflict" +
                       (causes.size() == 1 ? "" : "s") + ": " + causes[0].message + ": " +
                       causes[0].field};
    error.details = {{"causes", Json::array()}};
    for (const Cause& cause : causes) {
      error.details["causes"].push_back(
          {{"reason", cause.reason}, {"message", cause.message}, {"field", cause.field}});
    }
    throw error;
  }

  static bool same_value(const Json& left, const Json& right, const std::string& path) {
    const Json* a = &left;
    const Json* b = &right;
    std::string rest = path.substr(1);
    while (!rest.empty()) {
      // List members compare as whole lists.
      if (rest[0] == '[') break;
      std::string part = rest.substr(0, rest.find('.'));
      rest.erase(0, part.size() + 1);
      // Label keys contain dots: take the longest member that fits.
      while (a->is_object() && !a->contains(part) && !b->contains(part) && !rest.empty()) {
        std::string more = rest.substr(0, rest.find('.'));
        rest.erase(0, more.size() + 1);
        part += "." + more;
      }
      a = &member_or_null(*a, part.c_str());
      b = &member_or_null(*b, part.c_str());
    }
    return *a == *b;
  }

  void record(Json& object, const Json& owned) const {
    Json entries = Json::array();
    Json entry = {{"manager", manager_},
                  {"operation", "Apply"},
                  {"apiVersion", resource_.api_version()},
                  {"time", format_time(now())},
                  {"fieldsType", "FieldsV1"},
                  {"fieldsV1", owned}};
    if (!info_.subresource.empty()) entry["subresource"] = info_.subresource;
    for (const Json& other : member_or_null(object["metadata"], "managedFields")) {
      if (!is_ours(other)) {
        entries.push_back(other);
      } else if (other["fieldsV1"] == owned) {
        entry["time"] = other["time"];
      }
    }
    entries.push_back(entry);
    object["metadata"]["managedFields"] = entries;
  }

  const Resource& resource_;
  const RequestInfo& info_;
  const http::Request& request_;
  std::string manager_;
};

}  // namespace

Json field_set(const Json& applied, const Schema& schema) {
  Json set = Json::object();
  for (auto item = applied.begin(); item != applied.end(); ++item) {
    const Field* field = schema.find(item.key());
    Json inner = Json::object();
    if (field != nullptr && field->type == FieldType::kStruct) {
      inner = field_set(*item, *field->structure);
    } else if (field != nullptr && field->type == FieldType::kMap) {
      for (auto key = item->begin(); key != item->end(); ++key) {
        inner["f:" + key.key()] = Json::object();
      }
    } else if (field != nullptr && (is_keyed(*field) || is_set(*field))) {
      inner = list_set(*item, *field);
    }
    bool container =
        field != nullptr && (field->type == FieldType::kStruct || field->type == FieldType::kMap);
    // Naming a struct or a map without any member owns nothing.
    if (!container || !inner.empty()) set["f:" + item.key()] = std::move(inner);
  }
  return set;
}

http::Response handle_apply(Store& store, Writer& writer, const RequestInfo& info,
                            const http::Request& request, Json applied) {
  const Resource& resource = *info.resource;
  if (!applied.is_object()) throw bad_request("error decoding YAML: expected an object");
  if (!applied.contains("kind") || !applied.contains("apiVersion")) {
    throw bad_request("invalid object type: /, Kind=");
  }
  if (metadata_text(applied, "name").empty()) {
    throw bad_request("the name of the object (" + info.name +
                      " based on URL) was undeterminable: name must be provided");
  }
  if (!member_or_null(member_or_null(applied, "metadata"), "managedFields").is_null()) {
    throw bad_request("metadata.managedFields must be nil");
  }
  Applier applier(resource, info, request);
  Json typed = applied;
  auto warnings = decode_object(resource, request, typed);
  // Only fields that the client wrote are applied, not the defaults that decoding fills in.
  applied.erase("kind");
  applied.erase("apiVersion");
  const std::string& name = metadata_text(applied, "name");
  if (name != info.name) {
    throw bad_request("the name of the object (" + name + ") does not match the name on the URL (" +
                      info.name + ")");
  }
  if (resource.namespaced) applied["metadata"]["namespace"] = info.name_space;
  ObjectPtr old =
      store.collection(resource.index).find(object_key(resource, info.name_space, info.name));
  if (!old && !info.subresource.empty()) throw not_found(resource, info.name);
  Json base = old ? old->value : Json{{"metadata", Json::object()}};
  std::string revision = metadata_text(applied, "resourceVersion");
  Json merged = applier.merge(base, applied);
  merged["metadata"].erase("resourceVersion");
  if (!revision.empty() || !resource.unconditional_update) {
    merged["metadata"]["resourceVersion"] =
        !revision.empty() ? revision : metadata_text(base, "resourceVersion");
  }
  decode_object(resource, request, merged);
  Writer::Result result;
  if (old) {
    result = writer.update(resource, old, std::move(merged), info.subresource, is_dry_run(request));
  } else {
    merged["metadata"].erase("resourceVersion");
    result = writer.create(resource, info.name_space, std::move(merged), is_dry_run(request));
  }
  return write_answer(resource, result, request, warnings);
}

}  // namespace sandbox

#include "app/dry_run/planned_objects.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>

namespace ccm::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";

// The lists of Nodes and Services with elements that are told apart by their "type".
bool merged_by_type(std::string_view field) {
  return field == "/status/conditions" || field == "/status/addresses";
}
// The lists of texts that a patch adds to.
bool merged_texts(std::string_view field) {
  return field == "/metadata/finalizers" || field == "/spec/podCIDRs";
}

std::string pointer_token(const std::string& name) {
  return (Json::json_pointer() / name).to_string();
}

std::string type_of(const Json& element) {
  const auto type = element.is_object() ? element.find("type") : element.end();
  return type != element.end() && type->is_string() ? type->get<std::string>() : std::string();
}

bool has_directive(const Json& element, std::string_view directive) {
  return element.is_object() && element.contains("$patch") && element["$patch"] == directive;
}

Json::iterator find_type(Json& list, const std::string& type) {
  return std::ranges::find(list, type, type_of);
}

void merge_elements(Json& list, const Json& patch) {
  for (const Json& element : patch) {
    const auto known = find_type(list, type_of(element));
    if (has_directive(element, "delete")) {
      if (known != list.end()) list.erase(known);
    } else if (known != list.end()) {
      known->update(element);
    } else {
      list.push_back(element);
    }
  }
}

void merge_list(Json& list, const std::string& field, const Json& patch) {
  const bool replaces = std::ranges::any_of(
      patch, [](const Json& element) { return has_directive(element, "replace"); });
  if (!list.is_array() || replaces) list = Json::array();
  if (merged_by_type(field) && !replaces) return merge_elements(list, patch);
  if (!merged_texts(field)) list = Json::array();
  for (const Json& element : patch) {
    const bool there = std::ranges::find(list, element) != list.end();
    if (!has_directive(element, "replace") && !there) list.push_back(element);
  }
}

void remove_texts(Json& list, const Json& gone) {
  if (!list.is_array()) return;
  const auto is_gone = [&gone](const Json& text) {
    return std::ranges::find(gone, text) != gone.end();
  };
  list.erase(std::remove_if(list.begin(), list.end(), is_gone), list.end());
}

void merge_strategically(Json& object, const std::string& place, const Json& patch) {
  if (!object.is_object()) object = Json::object();
  for (const auto& [name, value] : patch.items()) {
    if (name.starts_with(kDelete)) {
      const std::string list = name.substr(kDelete.size());
      if (object.contains(list)) remove_texts(object[list], value);
    } else if (name.starts_with('$')) {
      continue;  // an order, or what to do with an element
    } else if (value.is_null()) {
      object.erase(name);
    } else if (value.is_object()) {
      merge_strategically(object[name], place + pointer_token(name), value);
    } else if (value.is_array()) {
      merge_list(object[name], place + pointer_token(name), value);
    } else {
      object[name] = value;
    }
  }
}

std::string text_of(const Json& value) {
  return value.is_null() ? std::string()
                         : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// null when there is none.
const Json& member_of(const Json& object, const std::string& name) {
  static const Json none;
  const auto found = object.is_object() ? object.find(name) : object.end();
  return found == object.end() ? none : *found;
}

class Differences {
 public:
  void compare(const std::string& field, const Json& before, const Json& after) {
    if (before == after || field == "/metadata/uid" || field == "/metadata/resourceVersion") return;
    if (before.is_object() || after.is_object()) return compare_members(field, before, after);
    if (field == "/status/conditions" && has_types(before) && has_types(after)) {
      return compare_elements(field, before, after);
    }
    fields.push_back({field, text_of(before), text_of(after)});
  }
  std::vector<FieldChange> fields;

 private:
  void compare_members(const std::string& field, const Json& before, const Json& after) {
    std::set<std::string> names;
    for (const auto& [name, value] : before.items()) names.insert(name);
    for (const auto& [name, value] : after.items()) names.insert(name);
    for (const std::string& name : names) {
      compare(field + pointer_token(name), member_of(before, name), member_of(after, name));
    }
  }

  static bool has_types(const Json& list) {
    if (!list.is_array()) return list.is_null();
    std::set<std::string> types;
    return std::ranges::all_of(list, [&](const Json& element) {
      return !type_of(element).empty() && types.insert(type_of(element)).second;
    });
  }

  void compare_elements(const std::string& field, Json before, const Json& after) {
    for (const Json& element : after) {
      const std::string place = field + "[" + type_of(element) + "]";
      const auto known = find_type(before, type_of(element));
      if (known == before.end()) {
        fields.push_back({place, {}, text_of(element)});
        continue;
      }
      if (*known != element) fields.push_back({place, text_of(*known), text_of(element)});
      before.erase(known);
    }
    for (const Json& element : before) {
      fields.push_back({field + "[" + type_of(element) + "]", text_of(element), {}});
    }
  }
};

PlannedObjects::Key key_of(const std::string& resource, const kube::Object& object) {
  return {resource, std::string(object.namespace_name()), std::string(object.name())};
}

}  // namespace

std::string patched(std::string_view object, kube::PatchType type, std::string_view body) {
  Json after = Json::parse(object, nullptr, false);
  const Json patch = Json::parse(body, nullptr, false);
  if (after.is_discarded() || patch.is_discarded()) return std::string(object);
  try {
    if (type == kube::PatchType::json) {
      after = after.patch(patch);
    } else if (type == kube::PatchType::merge) {
      after.merge_patch(patch);
    } else {
      merge_strategically(after, "", patch);
    }
  } catch (const Json::exception&) {
    return std::string(object);
  }
  return text_of(after);
}

std::vector<FieldChange> changed_fields(std::string_view before, std::string_view after) {
  Differences differences;
  differences.compare("", Json::parse(before, nullptr, false), Json::parse(after, nullptr, false));
  return std::move(differences.fields);
}

std::string PlannedObjects::with_patches(std::string object, const Edited& edited) {
  for (const auto& [type, body] : edited.patches) object = patched(object, type, body);
  return object;
}

kube::ObjectPtr PlannedObjects::planned_of(const kube::ObjectPtr& base, const Edited& edited) {
  const auto object = kube::Object::decode(with_patches(base->json(), edited));
  return object.ok() ? *object : base;
}

kube::ObjectPtr PlannedObjects::view(const Key& key, const kube::ObjectPtr& real) const {
  const std::lock_guard lock(mutex_);
  const auto found = edited_.find(key);
  if (found == edited_.end() || !real) return real;
  const Edited& edited = found->second;
  if (!edited.planned || edited.base == real) return edited.planned;
  return planned_of(real, edited);  // its event is still on its way
}

kube::ObjectPtr PlannedObjects::get(std::string_view resource, std::string_view namespace_name,
                                    std::string_view name) const {
  return view(Key(resource, namespace_name, name), cache_.get(resource, namespace_name, name));
}

std::vector<kube::ObjectPtr> PlannedObjects::list(std::string_view resource,
                                                  std::string_view namespace_name) const {
  std::vector<kube::ObjectPtr> objects;
  for (const kube::ObjectPtr& real : cache_.list(resource, namespace_name)) {
    if (kube::ObjectPtr seen = view(key_of(std::string(resource), *real), real)) {
      objects.push_back(std::move(seen));
    }
  }
  return objects;
}

Status PlannedObjects::watch(const runtime::WatchSpec& spec, kube::InformerHandler handler) {
  const auto given = std::make_shared<const kube::InformerHandler>(std::move(handler));
  kube::InformerHandler own = *given;
  if (given->on_update) {
    own.on_update = [this, given, resource = spec.resource](
                        const kube::ObjectPtr& before, const kube::ObjectPtr& now, bool changed) {
      updated(*given, key_of(resource, *now), before, now, changed);
    };
  }
  if (given->on_add) {
    own.on_add = [this, given, resource = spec.resource](const kube::ObjectPtr& object,
                                                         bool initial) {
      const kube::ObjectPtr seen = view(key_of(resource, *object), object);
      if (seen) given->on_add(seen, initial);
    };
  }
  if (given->on_delete) {
    own.on_delete = [this, given, resource = spec.resource](const kube::ObjectPtr& last,
                                                            bool unknown) {
      deleted(*given, key_of(resource, *last), last, unknown);
    };
  }
  Status watched = events_.watch(spec, std::move(own));
  const bool whole = spec.label_selector.empty() && spec.field_selector.empty();
  if (watched.ok() && whole) subscribers_.push_back({spec.resource, given});
  return watched;
}

// Somebody else's write, below ours.
void PlannedObjects::updated(const kube::InformerHandler& handler, const Key& key,
                             const kube::ObjectPtr& before, const kube::ObjectPtr& now,
                             bool changed) {
  std::optional<kube::ObjectPtr> earlier;
  {
    const std::lock_guard lock(mutex_);
    const auto found = edited_.find(key);
    if (found != edited_.end()) {
      Edited& edited = found->second;
      if (!edited.planned) return;
      earlier = planned_of(before, edited);
      if (edited.base != now) {
        edited.planned = planned_of(now, edited);
        edited.base = now;
      }
    }
  }
  if (!earlier) return handler.on_update(before, now, changed);
  handler.on_update(*earlier, view(key, now), changed);
}

// Ours end with the object: one of that name that comes later is another one. Each subscriber is
// told, so the writes go with the loop's next step.
void PlannedObjects::deleted(const kube::InformerHandler& handler, const Key& key,
                             const kube::ObjectPtr& last, bool unknown) {
  const kube::ObjectPtr seen = view(key, last);
  if (seen) handler.on_delete(seen, unknown);
  loop_.post([this, key, uid = std::string(last->uid())] {
    const std::lock_guard lock(mutex_);
    const auto found = edited_.find(key);
    if (found != edited_.end() && found->second.base && found->second.base->uid() == uid) {
      edited_.erase(found);
    }
  });
}

PlannedObjects::Texts PlannedObjects::patch(const Key& key, kube::PatchType type,
                                            const std::string& body) {
  const auto& [resource, namespace_name, name] = key;
  const kube::ObjectPtr before = get(resource, namespace_name, name);
  Texts texts;
  texts.before = before ? before->json() : "{}";
  texts.after = patched(texts.before, type, body);
  if (!before) return texts;
  const auto decoded = kube::Object::decode(texts.after);
  if (!decoded.ok()) return texts;
  {
    const std::lock_guard lock(mutex_);
    Edited& edited = edited_[key];
    edited.base = cache_.get(resource, namespace_name, name);
    edited.planned = *decoded;
    edited.patches.emplace_back(type, body);
  }
  announce(resource, before, *decoded);
  return texts;
}

void PlannedObjects::remove(const Key& key) {
  const auto& [resource, namespace_name, name] = key;
  const kube::ObjectPtr before = get(resource, namespace_name, name);
  if (!before) return;
  {
    const std::lock_guard lock(mutex_);
    Edited& edited = edited_[key];
    edited.base = before;
    edited.planned = nullptr;
  }
  announce(resource, before, nullptr);
}

Result<std::string> PlannedObjects::applied(const Key& key, Result<std::string> body) const {
  const std::lock_guard lock(mutex_);
  const auto found = edited_.find(key);
  if (found == edited_.end() || !body.ok()) return body;
  if (!found->second.planned) {
    return Status(Code::not_found, std::get<2>(key) + " is deleted in this dry run");
  }
  return with_patches(std::move(*body), found->second);
}

// Later, as the events of a watch come.
void PlannedObjects::announce(const std::string& resource, kube::ObjectPtr before,
                              kube::ObjectPtr now) {
  for (const Subscriber& subscriber : subscribers_) {
    if (subscriber.resource != resource) continue;
    loop_.post([handler = subscriber.handler, before, now] {
      if (now && handler->on_update) handler->on_update(before, now, true);
      if (!now && handler->on_delete) handler->on_delete(before, false);
    });
  }
}

}  // namespace ccm::app

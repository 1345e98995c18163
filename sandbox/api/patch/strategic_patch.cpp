#include "api/patch/patch.hpp"
#include "api/patch/strategic_lists.hpp"

#include <algorithm>

namespace sandbox {
namespace {

constexpr std::string_view kSetElementOrder = "$setElementOrder/";
constexpr std::string_view kDeleteFromPrimitives = "$deleteFromPrimitiveList/";

void merge_map(Json& original, Json& patch, const Schema* schema);

const Field* field_of(const Schema* schema, const std::string& name) {
  return schema == nullptr ? nullptr : schema->find(name);
}

void apply_retain_keys(Json& original, Json& patch) {
  auto directive = patch.find("$retainKeys");
  if (directive == patch.end()) return;
  Json keep = *directive;
  patch.erase(directive);
  if (!keep.is_array()) throw PatchError("invalid patch format of retainKeys");
  auto kept = [&](const std::string& key) {
    return std::find(keep.begin(), keep.end(), key) != keep.end();
  };
  for (auto item = patch.begin(); item != patch.end(); ++item) {
    bool directive_key =
        item.key().starts_with(kSetElementOrder) || item.key().starts_with(kDeleteFromPrimitives);
    if (!item->is_null() && !directive_key && !kept(item.key())) {
      throw PatchError("invalid patch format of retainKeys");
    }
  }
  for (auto item = original.begin(); item != original.end();) {
    item = kept(item.key()) ? std::next(item) : original.erase(item);
  }
}

// Takes the elements with `$patch` out of both lists and acts on them.
void apply_list_directives(Json& original, Json& patch, const std::string& merge_key) {
  Json plain = Json::array();
  bool replace = false;
  for (const Json& member : patch) {
    if (!member.is_object() || !member.contains("$patch")) {
      plain.push_back(member);
      continue;
    }
    const Json& directive = member["$patch"];
    if (directive == "replace") {
      replace = true;
    } else if (directive == "delete") {
      if (!member.contains(merge_key))
        throw PatchError("map does not contain declared merge key: " + merge_key);
      original.erase(std::remove_if(original.begin(), original.end(),
                                    [&](const Json& candidate) {
                                      return same_member(candidate, member, merge_key);
                                    }),
                     original.end());
    } else {
      throw PatchError("unknown patch type: " + directive.dump());
    }
  }
  if (replace) {
    original = std::move(plain);
    patch = Json::array();
  } else {
    patch = std::move(plain);
  }
}

void merge_members(Json& original, Json& patch, const Field& field) {
  for (Json& member : patch) {
    if (!member.is_object() || !member.contains(field.merge_key)) {
      throw PatchError("map: " + member.dump() +
                       " does not contain declared merge key: " + field.merge_key);
    }
    auto found = std::find_if(original.begin(), original.end(), [&](const Json& candidate) {
      return same_member(candidate, member, field.merge_key);
    });
    if (found == original.end()) {
      original.push_back(without_directives(member));
    } else {
      merge_map(*found, member, field.structure);
    }
  }
}

Json merge_list(Json original, Json patch, const Field* field) {
  if (field == nullptr || !field->merge) return patch;
  if (original.empty() && patch.empty()) return original;
  Json merged;
  Json before = original;
  if (field->merge_key.empty()) {
    for (const Json& member : patch) original.push_back(member);
    merged = without_duplicates(original);
  } else {
    apply_list_directives(original, patch, field->merge_key);
    before = original;
    Json members = patch;
    merge_members(original, members, *field);
    merged = std::move(original);
  }
  return order_members(merged, patch, before, field->merge_key);
}

// `$setElementOrder/x` together with the patch of `x` itself.
void apply_element_orders(Json& original, Json& patch, const Schema* schema) {
  for (auto item = patch.begin(); item != patch.end();) {
    if (!item.key().starts_with(kSetElementOrder)) {
      ++item;
      continue;
    }
    std::string name = item.key().substr(kSetElementOrder.size());
    Json order = *item;
    patch.erase(item);
    const Field* field = field_of(schema, name);
    std::string merge_key = field == nullptr ? "" : field->merge_key;
    Json before = original.value(name, Json());
    auto change = patch.find(name);
    if (!order.is_array() || (!before.is_null() && !before.is_array())) {
      throw PatchError("invalid patch format of setElementOrder list");
    }
    if (change != patch.end()) {
      if (!change->is_array()) throw PatchError("invalid patch format of setElementOrder list");
      if (!order.empty()) check_element_order(*change, order, merge_key);
      original[name] =
          before.is_null() ? without_directives(*change) : merge_list(before, *change, field);
      patch.erase(change);
    } else if (before.is_null()) {
      item = patch.begin();
      continue;
    }
    original[name] = order_members(original[name], order, before, merge_key);
    item = patch.begin();
  }
}

void delete_primitives(Json& original, const std::string& name, const Json& values) {
  auto list = original.find(name);
  if (list == original.end()) return;
  if (!list->is_array() || !values.is_array())
    throw PatchError("invalid patch format of primitive list");
  list->erase(std::remove_if(list->begin(), list->end(),
                             [&](const Json& member) {
                               return std::find(values.begin(), values.end(), member) !=
                                      values.end();
                             }),
              list->end());
}

void merge_map(Json& original, Json& patch, const Schema* schema) {
  if (auto directive = patch.find("$patch"); directive != patch.end()) {
    if (*directive == "replace") {
      patch.erase(directive);
      original = std::move(patch);
    } else if (*directive == "delete") {
      original = Json::object();
    } else if (*directive != "merge") {
      throw PatchError("unknown patch type: " + directive->dump());
    }
    return;
  }
  apply_retain_keys(original, patch);
  apply_element_orders(original, patch, schema);
  for (auto item = patch.begin(); item != patch.end(); ++item) {
    const std::string& name = item.key();
    Json& change = *item;
    if (name.starts_with(kDeleteFromPrimitives)) {
      delete_primitives(original, name.substr(kDeleteFromPrimitives.size()), change);
      continue;
    }
    if (change.is_null()) {
      original.erase(name);
      continue;
    }
    auto present = original.find(name);
    const Field* field = field_of(schema, name);
    if (present == original.end() || present->type() != change.type()) {
      original[name] = without_directives(change);
    } else if (change.is_object()) {
      merge_map(*present, change, field == nullptr ? nullptr : field->structure);
    } else if (change.is_array()) {
      *present = merge_list(*present, change, field);
    } else {
      *present = change;
    }
  }
}

}  // namespace

Json apply_strategic_patch(Json object, Json patch, const Schema& schema) {
  if (!patch.is_object()) throw PatchError("a strategic merge patch has to be a JSON object", true);
  merge_map(object, patch, &schema);
  return object;
}

}  // namespace sandbox

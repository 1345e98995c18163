#include "fake_kube_state.hpp"

#include "fake_strategic_patch.hpp"

#include <ccm/abi/controller.h>

#include <algorithm>

namespace ccm::testing {
namespace {

Status not_found(const KubeCall& call) {
  return Status(Code::not_found, ErrorClass::not_found,
                call.resource + " \"" + call.name + "\" not found")
      .with_reason("NotFound");
}
Status conflict(const KubeCall& call) {
  return Status(Code::aborted, ErrorClass::conflict,
                call.resource + " \"" + call.name + "\" has been modified")
      .with_reason("Conflict");
}

std::string text_at(const Json& object, const char* pointer) {
  const Json::json_pointer place(pointer);
  return object.contains(place) && object.at(place).is_string()
             ? object.at(place).get<std::string>()
             : std::string();
}

bool is_deleted(const Json& object) { return object["metadata"].contains("deletionTimestamp"); }
std::size_t finalizer_count(const Json& object) {
  return object["metadata"].value("finalizers", Json::array()).size();
}

// Copies what a declared field keeps; "-" stands for each element of an array.
void keep(std::string_view field, const Json& from, Json& kept) {
  const std::size_t dash = field.find("/-/");
  const Json::json_pointer place{std::string(field.substr(0, dash))};
  if (!from.contains(place)) return;
  const Json& value = from.at(place);
  if (dash == std::string_view::npos || !value.is_array()) {
    kept[place] = value;
    return;
  }
  Json& elements = kept[place];
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i].is_object()) {
      if (elements[i].is_null()) elements[i] = Json::object();
      keep(field.substr(dash + 2), value[i], elements[i]);
    } else {
      elements[i] = value[i];
    }
  }
}

// The spec cannot be written through the status subresource, nor the status through the object
// itself (API-51).
void keep_other_part(const std::string& subresource, const Json& before, Json& after) {
  if (subresource == "status") {
    Json merged = before;
    merged["metadata"] = after["metadata"];
    if (after.contains("status")) merged["status"] = after["status"];
    after = std::move(merged);
  } else if (before.contains("status")) {
    after["status"] = before["status"];
  } else {
    after.erase("status");
  }
}

}  // namespace

Status FakeKube::State::scripted(const KubeCall& call, bool& happens) {
  calls.push_back(call);
  std::string resource = call.resource;
  if (!call.subresource.empty()) resource += "/" + call.subresource;
  const auto fault = std::find_if(faults.begin(), faults.end(), [&](const Fault& candidate) {
    return candidate.verb == call.verb && candidate.resource == resource;
  });
  happens = true;
  if (fault == faults.end()) return {};
  const Fault found = std::move(*fault);
  faults.erase(fault);
  if (found.before) found.before();
  happens = found.happens;
  return found.status;
}

Result<Object> FakeKube::State::handle(KubeCall call) {
  const std::lock_guard lock(mutex_);
  bool happens = true;
  const Status status = scripted(call, happens);
  if (!happens) return status;
  Result<Object> outcome = carry_out(call);
  if (!status.ok()) return status;
  return outcome;
}

Result<std::vector<Object>> FakeKube::State::list(KubeCall call) {
  const std::lock_guard lock(mutex_);
  bool happens = true;
  const Status status = scripted(call, happens);
  if (!status.ok()) return status;
  std::vector<Object> all;
  for (const auto& [key, object] : server_[call.resource]) {
    if (!call.namespace_name.empty() &&
        text_at(object, "/metadata/namespace") != call.namespace_name) {
      continue;
    }
    all.push_back(objects.make(object.dump()));
  }
  return all;
}

int32_t FakeKube::State::readable(const std::string& resource) const {
  const std::lock_guard lock(mutex_);
  if (!fields_.contains(resource)) return CCM_CACHE_NOT_WATCHED;
  return not_synced.contains(resource) ? CCM_CACHE_NOT_SYNCED : CCM_CACHE_FOUND;
}

Result<Object> FakeKube::State::carry_out(const KubeCall& call) {
  if (call.verb == "create") return create(call);
  auto& all = server_[call.resource];
  const auto place = all.find(object_key(call.namespace_name, call.name));
  if (place == all.end()) return not_found(call);
  if (call.verb == "get") return objects.make(place->second.dump());
  return call.verb == "patch" ? patch(call, place->second) : remove(call);
}

Result<Object> FakeKube::State::patch(const KubeCall& call, Json& object) {
  const Json body = Json::parse(call.body);
  Json after = object;
  if (call.patch_type == CCM_PATCH_JSON) {
    try {
      after = object.patch(body);
    } catch (const Json::exception& error) {
      return Status(Code::invalid_argument, ErrorClass::invalid_spec, error.what())
          .with_reason("Invalid");
    }
  } else {
    const std::string expected = text_at(body, "/metadata/resourceVersion");
    if (!expected.empty() && expected != text_at(object, "/metadata/resourceVersion")) {
      return conflict(call);
    }
    const std::string uid = text_at(body, "/metadata/uid");
    if (!uid.empty() && uid != text_at(object, "/metadata/uid")) return conflict(call);
    if (call.patch_type == CCM_PATCH_STRATEGIC) {
      apply_strategic_patch(after, body);
    } else {
      after.merge_patch(body);
    }
  }
  keep_other_part(call.subresource, object, after);
  const auto validate = validators.find(call.resource);
  if (validate != validators.end()) {
    Status valid = validate->second(object.dump(), after.dump());
    if (!valid.ok()) return valid;
  }
  if (is_deleted(object) && finalizer_count(after) > finalizer_count(object)) {
    return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                  "metadata.finalizers: Forbidden: no new finalizers can be added if the object is "
                  "being deleted")
        .with_reason("Invalid");
  }
  if (after != object) {
    after["metadata"]["resourceVersion"] = std::to_string(++version_);
    if (is_deleted(object) && finalizer_count(object) > 0 && finalizer_count(after) == 0) {
      erase(call.resource, object_key(call.namespace_name, call.name));  // API-56
      return objects.make(after.dump());
    }
    object = after;
    if (cache_follows) follow(call.resource, object_key(call.namespace_name, call.name));
  }
  if (call.answer == PatchAnswer::none) return Object();
  if (call.answer == PatchAnswer::metadata) {
    const Json partial = {{"kind", "PartialObjectMetadata"},
                          {"apiVersion", "meta.k8s.io/v1"},
                          {"metadata", after["metadata"]}};
    return objects.make(partial.dump());
  }
  return objects.make(after.dump());
}

Result<Object> FakeKube::State::create(const KubeCall& call) {
  if (!call.subresource.empty()) {
    const auto answer = created.find(call.resource + "/" + call.subresource);
    if (answer == created.end()) return not_found(call);
    return objects.make(answer->second);
  }
  Json object = Json::parse(call.body);
  const std::string name = text_at(object, "/metadata/name");
  if (server_[call.resource].contains(object_key(call.namespace_name, name))) {
    return Status(Code::already_exists, call.resource + " \"" + name + "\" already exists")
        .with_reason("AlreadyExists");
  }
  store(call.resource, object);
  return objects.make(find(call.resource, object_key(call.namespace_name, name))->dump());
}

Result<Object> FakeKube::State::remove(const KubeCall& call) {
  const std::string key = object_key(call.namespace_name, call.name);
  const Json object = server_[call.resource].at(key);
  const Json wanted = Json::parse(call.body);
  for (const auto& [field, value] : wanted.items()) {
    if (object["metadata"].value(field, Json()) != value) return conflict(call);
  }
  erase(call.resource, key);
  return objects.make(object.dump());
}

void FakeKube::State::store(const std::string& resource, Json object) {
  const std::lock_guard lock(mutex_);
  Json& metadata = object["metadata"];
  const std::string name = metadata.at("name").get<std::string>();
  metadata["resourceVersion"] = std::to_string(++version_);
  if (!metadata.contains("uid")) metadata["uid"] = "uid-of-" + name;
  const std::string key = object_key(text_at(object, "/metadata/namespace"), name);
  server_[resource][key] = std::move(object);
  if (cache_follows) follow(resource, key);
}

void FakeKube::State::erase(const std::string& resource, const std::string& key) {
  const std::lock_guard lock(mutex_);
  server_[resource].erase(key);
  if (cache_follows) follow(resource, key);
}

const Json* FakeKube::State::find(const std::string& resource, const std::string& key) const {
  const std::lock_guard lock(mutex_);
  const auto all = server_.find(resource);
  if (all == server_.end() || !all->second.contains(key)) return nullptr;
  return &all->second.at(key);
}

Object FakeKube::State::cached(const std::string& resource, const std::string& space,
                               const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto all = cache_.find(resource);
  if (all == cache_.end()) return {};
  const auto place = all->second.find(object_key(space, name));
  return place != all->second.end() ? place->second.object : Object();
}

std::vector<Object> FakeKube::State::cached_all(const std::string& resource) const {
  const std::lock_guard lock(mutex_);
  std::vector<Object> found;
  const auto all = cache_.find(resource);
  if (all == cache_.end()) return found;
  for (const auto& [key, entry] : all->second) found.push_back(entry.object);
  return found;
}

Json FakeKube::State::project(const std::string& resource, const Json& object) const {
  std::set<std::string> fields{"/apiVersion",         "/kind",         "/metadata/name",
                               "/metadata/namespace", "/metadata/uid", "/metadata/resourceVersion"};
  const auto declared = fields_.find(resource);
  if (declared != fields_.end()) fields.insert(declared->second.begin(), declared->second.end());
  Json kept = Json::object();
  for (const std::string& field : fields) keep(field, object, kept);
  return kept;
}

void FakeKube::State::follow(const std::string& resource, const std::string& key) {
  if (!fields_.contains(resource)) return;  // nobody watches it, so there is no cache of it
  auto& all = cache_[resource];
  const auto place = all.find(key);
  const Json* now = find(resource, key);
  if (now == nullptr) {
    if (place == all.end()) return;
    const Object last = place->second.object;
    all.erase(place);
    return tell(resource, CCM_EVENT_DELETED, {}, last);
  }
  Json document = project(resource, *now);
  const Object object = objects.make(document.dump());
  if (place == all.end()) {
    all[key] = {object, std::move(document)};
    return tell(resource, CCM_EVENT_ADDED, {}, object);
  }
  Json before = place->second.document;
  if (before == document) return;
  const Object old = place->second.object;
  place->second = {object, document};
  before["metadata"].erase("resourceVersion");
  document["metadata"].erase("resourceVersion");
  tell(resource, CCM_EVENT_UPDATED, before == document ? object : old, object);
}

void FakeKube::State::tell(const std::string& resource, int32_t kind, const Object& old,
                           const Object& now) {
  for (const Listener& listener : listeners_[resource]) {
    loop.post([listener, kind, old, now] { listener(kind, old, now); });
  }
}

void FakeKube::State::watch(const std::string& resource, const std::vector<std::string>& fields,
                            Listener listener) {
  const std::lock_guard lock(mutex_);
  fields_[resource].insert(fields.begin(), fields.end());
  listeners_[resource].push_back(std::move(listener));
  cache_[resource].clear();
  for (const auto& [key, object] : server_[resource]) follow(resource, key);
}

void FakeKube::State::catch_up() {
  const std::lock_guard lock(mutex_);
  for (const auto& [resource, fields] : fields_) {
    std::set<std::string> keys;
    for (const auto& [key, object] : server_[resource]) keys.insert(key);
    for (const auto& [key, entry] : cache_[resource]) keys.insert(key);
    for (const std::string& key : keys) follow(resource, key);
  }
}

void FakeKube::State::resync() {
  const std::lock_guard lock(mutex_);
  for (const auto& [resource, entries] : cache_) {
    for (const auto& [key, entry] : entries) {
      tell(resource, CCM_EVENT_RESYNC, entry.object, entry.object);
    }
  }
}

}  // namespace ccm::testing

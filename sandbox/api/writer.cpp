#include "api/writer.hpp"

#include "api/metadata.hpp"
#include "api/times.hpp"

namespace sandbox {
namespace {

bool being_deleted(const Json& object) {
  return !metadata_text(object, "deletionTimestamp").empty();
}

bool has_finalizers(const Json& object) {
  return !member_or_null(object["metadata"], "finalizers").empty();
}

void copy_member(const Json& from, Json& to, const char* member) {
  auto found = from.find(member);
  if (found == from.end()) {
    to.erase(member);
  } else {
    to[member] = *found;
  }
}

void throw_if_any(const Resource& resource, const Json& object, std::vector<Cause> causes) {
  if (!causes.empty()) throw invalid(resource, metadata_text(object, "name"), std::move(causes));
}

// resourceVersion and uid in the body are preconditions (API-44, API-46).
void check_preconditions(const Resource& resource, const Object& old, const Json& candidate) {
  const std::string& name = metadata_text(old.value, "name");
  const std::string& uid = metadata_text(candidate, "uid");
  const std::string& stored_uid = metadata_text(old.value, "uid");
  if (!uid.empty() && uid != stored_uid) {
    throw conflict(
        resource, name,
        "Precondition failed: UID in precondition: " + uid + ", UID in object meta: " + stored_uid);
  }
  const std::string& revision = metadata_text(candidate, "resourceVersion");
  if (!revision.empty() && revision != "0") {
    if (revision.find_first_not_of("0123456789") != std::string::npos) {
      throw unclassified("strconv.ParseUint: parsing \"" + revision + "\": invalid syntax");
    }
    if (revision != std::to_string(old.revision)) throw modified_conflict(resource, name);
  } else if (!resource.unconditional_update) {
    Resource subject = resource;
    subject.kind = resource.plural;  // as the server has it
    throw invalid(
        subject, name,
        {invalid_value("metadata.resourceVersion", 0, "must be specified for an update")});
  }
}

// Fields that no client may change.
void keep_system_metadata(const Json& old, Json& candidate) {
  Json& metadata = candidate["metadata"];
  const Json& before = old["metadata"];
  for (const char* member :
       {"uid", "creationTimestamp", "generation", "name", "namespace", "generateName"}) {
    copy_member(before, metadata, member);
  }
  for (const char* member : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
    if (before.contains(member)) metadata[member] = before[member];
  }
  metadata.erase("selfLink");
}

void prepare_update(const Resource& resource, const Json& old, Json& candidate, bool status) {
  if (status) {
    // Everything except status and metadata stays.
    Json fresh = old;
    fresh["metadata"] = std::move(candidate["metadata"]);
    copy_member(candidate, fresh, "status");
    candidate = std::move(fresh);
    if (resource.rules != nullptr && resource.rules->status != nullptr) {
      resource.rules->status(candidate);
    }
    return;
  }
  if (resource.has_status) copy_member(old, candidate, "status");
  if (resource.rules != nullptr && resource.rules->update != nullptr) {
    resource.rules->update(old, candidate);
  }
}

bool terminating(const Json& name_space) {
  return !metadata_text(name_space, "deletionTimestamp").empty();
}

}  // namespace

Writer::Result Writer::create(const Resource& resource, const std::string& name_space, Json object,
                              bool dry_run) {
  Json& metadata = object["metadata"];
  std::string prefix = metadata_text(object, "generateName");
  bool generated = metadata_text(object, "name").empty() && !prefix.empty();
  if (generated) metadata["name"] = prefix.substr(0, 58) + name_suffix();
  if (resource.namespaced) metadata["namespace"] = name_space;
  std::string name = metadata_text(object, "name");
  if (!metadata_text(object, "resourceVersion").empty()) {
    throw unclassified("resourceVersion should not be set on objects to be created");
  }
  check_namespace(resource, name_space, name);
  for (const char* member :
       {"deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation"}) {
    metadata.erase(member);
  }
  metadata["uid"] = new_uid();
  metadata["creationTimestamp"] = format_time(now());
  if (resource.has_generation) metadata["generation"] = 1;
  if (resource.rules != nullptr && resource.rules->create != nullptr) {
    resource.rules->create(object);
  }
  std::vector<Cause> causes;
  validate_metadata(resource, nullptr, object, causes);
  if (resource.rules != nullptr && resource.rules->validate != nullptr) {
    resource.rules->validate(nullptr, object, causes);
  }
  throw_if_any(resource, object, std::move(causes));
  std::string key = object_key(resource, name_space, name);
  if (store_.collection(resource.index).find(key)) throw already_exists(resource, name);
  if (dry_run) return {make_object(key, std::move(object), store_.revision()), true};
  return {store_.create(resource.index, key, std::move(object)), true};
}

Writer::Result Writer::update(const Resource& resource, const ObjectPtr& old, Json candidate,
                              const std::string& subresource, bool dry_run) {
  check_preconditions(resource, *old, candidate);
  keep_system_metadata(old->value, candidate);
  prepare_update(resource, old->value, candidate, subresource == "status");
  std::vector<Cause> causes;
  validate_metadata(resource, &old->value, candidate, causes);
  if (resource.rules != nullptr && resource.rules->validate != nullptr) {
    resource.rules->validate(&old->value, candidate, causes);
  }
  throw_if_any(resource, candidate, std::move(causes));

  candidate["metadata"]["resourceVersion"] = std::to_string(old->revision);
  if (candidate == old->value) return {old};  // API-50
  if (resource.has_generation && member_or_null(candidate, "spec") != old->value["spec"]) {
    candidate["metadata"]["generation"] = old->value["metadata"].value("generation", 0) + 1;
  }
  if (dry_run) return {make_object(old->key, std::move(candidate), old->revision)};
  bool last =
      being_deleted(old->value) && !has_finalizers(candidate) && resource.kind != "Namespace";
  if (!last) return {store_.update(resource.index, old->key, std::move(candidate))};
  // Watchers see only the end; the answer shows what the client wrote.
  ObjectPtr gone = store_.remove(resource.index, old->key);
  finish_namespace(metadata_text(gone->value, "namespace"));
  return {make_object(old->key, std::move(candidate), gone->revision), false, true};
}

Writer::Result Writer::remove(const Resource& resource, const ObjectPtr& old, bool dry_run) {
  if (dry_run) return {old, false, !has_finalizers(old->value)};
  if (resource.kind == "Namespace") return remove_namespace(resource, old);
  if (has_finalizers(old->value)) {
    if (being_deleted(old->value)) return {old};
    Json marked = old->value;
    marked["metadata"]["deletionTimestamp"] = format_time(now());
    marked["metadata"]["deletionGracePeriodSeconds"] = 0;
    return {store_.update(resource.index, old->key, std::move(marked))};
  }
  ObjectPtr gone = store_.remove(resource.index, old->key);
  finish_namespace(metadata_text(gone->value, "namespace"));
  return {gone, false, true};
}

// Objects can be created only in a namespace that exists and stays.
void Writer::check_namespace(const Resource& resource, const std::string& name_space,
                             const std::string& name) const {
  if (!resource.namespaced) return;
  const Resource& namespaces = resource_named("namespaces");
  ObjectPtr found = store_.collection(namespaces.index).find(name_space);
  if (!found) throw not_found(namespaces, name_space);
  if (!terminating(found->value)) return;
  ApiError error = forbidden(resource, name,
                             "unable to create new content in namespace " + name_space +
                                 " because it is being terminated");
  Json cause = {{"reason", "NamespaceTerminating"},
                {"message", "namespace " + name_space + " is being terminated"},
                {"field", "metadata.namespace"}};
  error.details["causes"] = Json::array({cause});
  throw error;
}

// This server also does the work of the namespace controller: it deletes the content first.
Writer::Result Writer::remove_namespace(const Resource& resource, const ObjectPtr& old) {
  const std::string& name = old->key;
  if (name == "default" || name == "kube-system" || name == "kube-public") {
    throw forbidden(resource, name, "this namespace may not be deleted");
  }
  if (terminating(old->value)) return {old};
  Json marked = old->value;
  marked["metadata"]["deletionTimestamp"] = format_time(now());
  marked["status"]["phase"] = "Terminating";
  ObjectPtr stored = store_.update(resource.index, name, std::move(marked));
  for (const Resource& inside : resources()) {
    if (!inside.namespaced) continue;
    Collection& collection = store_.collection(inside.index);
    std::vector<ObjectPtr> members;
    for (auto at = collection.objects().lower_bound(name + "/");
         at != collection.objects().end() && at->first.starts_with(name + "/"); ++at) {
      members.push_back(at->second);
    }
    for (const ObjectPtr& member : members) remove(inside, member, false);
  }
  finish_namespace(name);
  return {stored};
}

bool Writer::empty_namespace(const std::string& name) {
  for (const Resource& inside : resources()) {
    if (!inside.namespaced) continue;
    const auto& objects = store_.collection(inside.index).objects();
    auto at = objects.lower_bound(name + "/");
    if (at != objects.end() && at->first.starts_with(name + "/")) return false;
  }
  return true;
}

// Called after each removal: the last one may end a terminating namespace.
void Writer::finish_namespace(const std::string& name) {
  if (name.empty()) return;
  const Resource& namespaces = resource_named("namespaces");
  ObjectPtr found = store_.collection(namespaces.index).find(name);
  if (!found || !terminating(found->value) || !empty_namespace(name)) return;
  if (!member_or_null(found->value["metadata"], "finalizers").empty()) return;
  store_.remove(namespaces.index, name);
}

}  // namespace sandbox

#include "api/times.hpp"
#include "api/writer.hpp"

namespace sandbox {
namespace {

bool terminating(const Json& name_space) {
  return !metadata_text(name_space, "deletionTimestamp").empty();
}

}  // namespace

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

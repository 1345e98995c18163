#include "app/dry_run/planned_objects.hpp"

#include "app/dry_run/patched_object.hpp"

#include <optional>

namespace ccm::app {
namespace {

PlannedObjects::Key key_of(const std::string& resource, const kube::Object& object) {
  return {resource, std::string(object.namespace_name()), std::string(object.name())};
}

}  // namespace

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
  const Key key(resource, namespace_name, name);
  return view(key, cache_.get(resource, namespace_name, name));
}

plugin::CacheState PlannedObjects::state(std::string_view resource) const {
  return cache_.state(resource);
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

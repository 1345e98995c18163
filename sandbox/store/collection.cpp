#include "store/collection.hpp"

#include <algorithm>

namespace sandbox {
namespace {

constexpr std::size_t kPinnedLimit = 32;
// etcd keeps revisions for about five minutes; continue tokens live as long.
constexpr std::chrono::minutes kPinnedFor{5};

}  // namespace

ObjectPtr Collection::find(const std::string& key) const {
  auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

void Collection::add(ObjectPtr object) {
  objects_[object->key] = object;
  Revision revision = object->revision;
  record(Event{EventType::kAdded, std::move(object), nullptr, revision});
}

void Collection::replace(ObjectPtr object) {
  ObjectPtr& slot = objects_[object->key];
  Event event{EventType::kModified, object, slot, object->revision};
  slot = std::move(object);
  record(std::move(event));
}

void Collection::remove(ObjectPtr last) {
  auto found = objects_.find(last->key);
  if (found == objects_.end()) return;
  ObjectPtr previous = std::move(found->second);
  objects_.erase(found);
  Revision revision = last->revision;
  record(Event{EventType::kDeleted, std::move(last), std::move(previous), revision});
}

void Collection::record(Event event) {
  history_.push_back(event);
  while (history_.size() > history_limit_) {
    compacted_ = history_.front().revision;
    history_.pop_front();
  }
  // A copy, because a watcher may leave while it is being told.
  std::vector<Watcher*> told(watchers_.begin(), watchers_.end());
  for (Watcher* watcher : told) {
    if (watchers_.count(watcher) != 0) watcher->on_event(event);
  }
}

void Collection::compact(Revision revision) {
  while (!history_.empty() && history_.front().revision <= revision) history_.pop_front();
  compacted_ = std::max(compacted_, revision);
  std::erase_if(pinned_, [&](const Pinned& p) { return p.snapshot->revision <= revision; });
}

void Collection::restore(std::map<std::string, ObjectPtr, std::less<>> objects, Revision revision) {
  objects_ = std::move(objects);
  history_.clear();
  pinned_.clear();
  compacted_ = revision;
}

SnapshotPtr Collection::rewind(Revision revision) const {
  auto past = objects_;
  for (auto event = history_.rbegin(); event != history_.rend(); ++event) {
    if (event->revision <= revision) break;
    if (event->previous) {
      past[event->object->key] = event->previous;
    } else {
      past.erase(event->object->key);
    }
  }
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->revision = revision;
  snapshot->objects.reserve(past.size());
  for (auto& item : past) snapshot->objects.push_back(std::move(item.second));
  return snapshot;
}

SnapshotPtr Collection::at(Revision revision, Revision current) const {
  for (const Pinned& pinned : pinned_) {
    if (pinned.snapshot->revision == revision) return pinned.snapshot;
  }
  if (revision < compacted_ || revision > current) return nullptr;
  return rewind(revision);
}

SnapshotPtr Collection::pin(Revision revision, Revision current) {
  auto now = std::chrono::steady_clock::now();
  std::erase_if(pinned_, [&](const Pinned& p) { return now - p.used > kPinnedFor; });
  for (Pinned& pinned : pinned_) {
    if (pinned.snapshot->revision != revision) continue;
    pinned.used = now;
    return pinned.snapshot;
  }
  SnapshotPtr snapshot = at(revision, current);
  if (!snapshot) return nullptr;
  if (pinned_.size() >= kPinnedLimit) {
    auto oldest = std::min_element(pinned_.begin(), pinned_.end(),
                                   [](auto& a, auto& b) { return a.used < b.used; });
    pinned_.erase(oldest);
  }
  pinned_.push_back(Pinned{snapshot, now});
  return snapshot;
}

void Collection::drop_watches(bool cut) {
  std::vector<Watcher*> told(watchers_.begin(), watchers_.end());
  for (Watcher* watcher : told) {
    if (watchers_.count(watcher) != 0) watcher->on_drop(cut);
  }
}

}  // namespace sandbox

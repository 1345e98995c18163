#pragma once

#include "store/object.hpp"

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <unordered_set>
#include <vector>

namespace sandbox {

// Called for every write of one collection, on the loop thread.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void on_event(const Event& event) = 0;
  // The administrator ends this watch; `cut` = without finishing the stream.
  virtual void on_drop(bool cut) = 0;
};

// All objects in key order at one revision.
struct Snapshot {
  Revision revision = 0;
  std::vector<ObjectPtr> objects;
};
using SnapshotPtr = std::shared_ptr<const Snapshot>;

// The objects of one resource with a bounded history of their events.
class Collection {
 public:
  // `history` is the number of events kept for watches and lists in the past.
  explicit Collection(std::size_t history) : history_limit_(history) {}

  ObjectPtr find(const std::string& key) const;
  const std::map<std::string, ObjectPtr, std::less<>>& objects() const { return objects_; }

  void add(ObjectPtr object);
  void replace(ObjectPtr object);
  // `last` is the final state, with the revision of the deletion.
  void remove(ObjectPtr last);

  // Events after `revision` are complete only if revision >= compacted().
  Revision compacted() const { return compacted_; }
  const std::deque<Event>& history() const { return history_; }
  // Forgets all events and pinned snapshots up to `revision`.
  void compact(Revision revision);
  // The objects of an earlier time, without a history. Watches get no event: drop them.
  void restore(std::map<std::string, ObjectPtr, std::less<>> objects, Revision revision);

  // The state at `revision`; null if the history does not reach back that far.
  SnapshotPtr at(Revision revision, Revision current) const;
  // As at(), and keeps the state for later pages even when the history moves on.
  SnapshotPtr pin(Revision revision, Revision current);

  void watch(Watcher* watcher) { watchers_.insert(watcher); }
  void unwatch(Watcher* watcher) { watchers_.erase(watcher); }
  std::size_t watchers() const { return watchers_.size(); }
  void drop_watches(bool cut);

 private:
  struct Pinned {
    SnapshotPtr snapshot;
    std::chrono::steady_clock::time_point used;
  };
  void record(Event event);
  SnapshotPtr rewind(Revision revision) const;

  std::size_t history_limit_;
  std::map<std::string, ObjectPtr, std::less<>> objects_;
  std::deque<Event> history_;
  Revision compacted_ = 0;
  std::vector<Pinned> pinned_;
  std::unordered_set<Watcher*> watchers_;
};

}  // namespace sandbox

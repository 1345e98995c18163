// Processes an Event before it is sent: drops spam, joins similar Events, and counts repeats
// (API-113..115). No network; one thread. Private to core/kube.
#pragma once

#include "kube/events.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace ccm::kube {

// A map that drops the least recently used entry.
template <typename Value>
class LruMap {
 public:
  explicit LruMap(std::size_t limit) : limit_(limit) {}

  // The value of `key`, made when it is absent; it is the youngest now.
  Value& operator[](const std::string& key) {
    if (const auto found = index_.find(key); found != index_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return found->second->second;
    }
    entries_.emplace_front(key, Value{});
    index_.emplace(key, entries_.begin());
    if (entries_.size() > limit_) {
      index_.erase(entries_.back().first);
      entries_.pop_back();
    }
    return entries_.front().second;
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;
  std::size_t limit_;
  Entries entries_;
  std::unordered_map<std::string, typename Entries::iterator> index_;
};

struct RawEvent {
  ObjectReference about;
  EventType type = EventType::normal;
  std::string reason;
  std::string message;
  std::chrono::system_clock::time_point time;
};

class EventCorrelator {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit EventCorrelator(const EventOptions& options);

  struct Verdict {
    std::string key;      // the key to pass to written()
    std::string message;  // maybe with the prefix of combined events
    int count = 1;
    // Of the stored event to be patched; an empty name means that a new one is created.
    std::string stored_name;
    std::chrono::system_clock::time_point first_time;
  };
  // Nothing when the event is dropped as spam.
  std::optional<Verdict> judge(const RawEvent& event, TimePoint now);
  // The Event was created or patched on the server under this name.
  void written(const Verdict& verdict, const std::string& name,
               std::chrono::system_clock::time_point first_time);

 private:
  struct Bucket {
    bool used = false;
    double tokens = 0;
    TimePoint updated;
  };
  struct Similar {
    std::unordered_set<std::string> messages;
    TimePoint last;
  };
  struct Stored {
    int count = 0;
    std::string name;
    std::chrono::system_clock::time_point first_time;
  };

  bool admit(const std::string& source, TimePoint now);

  std::string component_;
  std::size_t aggregate_after_;
  std::chrono::seconds aggregate_interval_;
  double spam_burst_;
  std::chrono::seconds spam_refill_;
  LruMap<Bucket> buckets_;
  LruMap<Similar> similar_;
  LruMap<Stored> stored_;
};

}  // namespace ccm::kube

// Processes an Event before it is sent: drops spam, joins similar Events, and counts repeats
// (API-113..115). No network; one thread. Private to core/kube.
#pragma once

#include "kube/events.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ccm::kube {

// The hash of a text, by which the caches of Events know it: the texts themselves would take more
// memory than all Nodes of a cluster. It has a secret of the process, so that nobody can choose
// texts with one hash; of a few thousand texts two have the same one by chance in 10^12 processes.
uint64_t text_hash(std::string_view text);

// A map by hashes that drops the least recently used entry.
template <typename Value>
class LruMap {
 public:
  explicit LruMap(std::size_t limit) : limit_(limit) {}

  // The value of `key`, made when it is absent; it is the youngest now.
  Value& operator[](uint64_t key) {
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
  using Entries = std::list<std::pair<uint64_t, Value>>;
  std::size_t limit_;
  Entries entries_;
  std::unordered_map<uint64_t, typename Entries::iterator> index_;
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
    uint64_t key = 0;     // the key to pass to written()
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
    std::vector<uint64_t> messages;  // hashes of different ones
    TimePoint last;
  };
  struct Stored {
    int count = 0;
    std::string name;
    std::chrono::system_clock::time_point first_time;
  };

  bool admit(uint64_t source, TimePoint now);

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

// Events on their way to the API server: drops spam, joins similar Events, counts repeats
// (API-113..115), keeps them until they are sent, and writes them as JSON. No network; one thread.
// Private to core/kube.
#pragma once

#include "kube/events.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::kube {

// A map by hashes that drops the least recently used entry. Entries lie side by side and are linked
// by their places, in 32 bits: caches of Events have thousands of small ones, of which separate
// allocations would take more than half. Not thread-safe.
template <typename Value>
class LruMap {
 public:
  // `limit` is at least 1.
  explicit LruMap(std::size_t limit)
      : limit_(static_cast<uint32_t>(std::clamp<std::size_t>(limit, 1, kNone - 1))) {}

  // The value of `key`, made when it is absent; it is the youngest now. Good until the next call.
  Value& operator[](uint64_t key) {
    uint32_t place = find(key);
    if (place == kNone) {
      place = entries_.size() < limit_ ? added() : take_oldest();
      entries_[place].key = key;
      entries_[place].value = Value{};
      enter_bucket(place);
    } else {
      leave_order(place);
    }
    make_youngest(place);
    return entries_[place].value;
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  struct Entry {
    uint64_t key = 0;
    uint32_t next_in_bucket = kNone;
    uint32_t younger = kNone;
    uint32_t older = kNone;
    Value value{};
  };

  // Keys are hashes: their low bits are as good as any. The number of buckets is a power of two.
  uint32_t& bucket(uint64_t key) { return buckets_[key & (buckets_.size() - 1)]; }

  uint32_t find(uint64_t key) {
    if (buckets_.empty()) return kNone;
    uint32_t place = bucket(key);
    while (place != kNone && entries_[place].key != key) place = entries_[place].next_in_bucket;
    return place;
  }

  // The place of a new entry, which is in no bucket and has no place in the order yet.
  uint32_t added() {
    if (entries_.size() == buckets_.size()) {
      buckets_.assign(std::max<std::size_t>(8, 2 * buckets_.size()), kNone);
      for (uint32_t place = 0; place < entries_.size(); ++place) enter_bucket(place);
    }
    entries_.emplace_back();
    return static_cast<uint32_t>(entries_.size() - 1);
  }

  uint32_t take_oldest() {
    const uint32_t place = oldest_;
    uint32_t* link = &bucket(entries_[place].key);
    while (*link != place) link = &entries_[*link].next_in_bucket;
    *link = entries_[place].next_in_bucket;
    leave_order(place);
    return place;
  }

  void enter_bucket(uint32_t place) {
    uint32_t& first = bucket(entries_[place].key);
    entries_[place].next_in_bucket = first;
    first = place;
  }

  void leave_order(uint32_t place) {
    const Entry& entry = entries_[place];
    (entry.younger == kNone ? youngest_ : entries_[entry.younger].older) = entry.older;
    (entry.older == kNone ? oldest_ : entries_[entry.older].younger) = entry.younger;
  }

  void make_youngest(uint32_t place) {
    entries_[place].younger = kNone;
    entries_[place].older = youngest_;
    (youngest_ == kNone ? oldest_ : entries_[youngest_].younger) = place;
    youngest_ = place;
  }

  uint32_t limit_;
  std::deque<Entry> entries_;
  std::vector<uint32_t> buckets_;  // the first entry of each
  uint32_t youngest_ = kNone;
  uint32_t oldest_ = kNone;
};

// The hash of a text, by which the caches of Events know it: the texts themselves would take more
// memory than all Nodes of a cluster. It has a secret of the process, so that nobody can choose
// texts with one hash; of a few thousand texts two have the same one by chance in 10^12 processes.
uint64_t text_hash(std::string_view text);

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
    // In the name of the stored Event to be patched; nothing when a new one is to be created.
    std::optional<std::chrono::nanoseconds> stored_name_time;
    std::chrono::system_clock::time_point first_time;
  };
  // Nothing when the event is dropped as spam.
  std::optional<Verdict> judge(const RawEvent& event, TimePoint now);
  // The Event was created or patched on the server, under the object's name with this time
  // (event_name).
  void written(const Verdict& verdict, std::chrono::nanoseconds name_time) {
    stored_[verdict.key] = {verdict.count, name_time, verdict.first_time};
  }

 private:
  // Thousands of each are kept: they are as small as can be, and hold no text.
  struct Bucket {
    double tokens = kUnused;
    TimePoint updated;
  };
  struct Similar {
    boost::container::small_vector<uint64_t, 1> messages;  // hashes of different ones
    TimePoint last;
  };
  struct Stored {
    int count = 0;
    std::chrono::nanoseconds name_time{0};
    std::chrono::system_clock::time_point first_time;
  };
  static constexpr double kUnused = -1;

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

// Events that wait to be delivered, first in, first out, as bytes in a few blocks. When thousands
// of Nodes join at once, all their Events wait for some seconds. As objects with eight strings
// each they would take more than the Nodes do, and leave holes between these that nothing fills.
// Not thread-safe.
class EventQueue {
 public:
  void push(const RawEvent& event);
  RawEvent pop();  // not when it is empty
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::deque<std::string> blocks_;  // whole Events
  std::size_t read_ = 0;            // bytes of the first block
  std::size_t size_ = 0;
};

// core/v1 Events as JSON (API-109..113):

// Where the Event of an object lives.
std::string event_namespace(const ObjectReference& about);
// "<object>.<unix nanoseconds in hex>", or a UUID made from it when that would be no DNS subdomain.
// In one process always the same.
std::string event_name(std::string_view object_name, std::chrono::nanoseconds unix_time);
std::string event_body(const RawEvent& event, const EventCorrelator::Verdict& verdict,
                       std::string_view component, std::string_view name);
std::string event_patch(const RawEvent& event, const EventCorrelator::Verdict& verdict);

}  // namespace ccm::kube

// A map by hashes that drops the least recently used entry. Entries lie side by side and are linked
// by their places, in 32 bits: caches of Events have thousands of small ones, of which separate
// allocations would take more than half. Private to core/kube; not thread-safe.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ccm::kube {

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

}  // namespace ccm::kube

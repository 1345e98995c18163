// A map by name with a limited number of values. Not thread-safe.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace ccm {

// The least recently written value is dropped first.
template <typename Value>
class RecentMap {
 public:
  explicit RecentMap(std::size_t limit) : limit_(limit) {}

  // The value to write to, a new one where there was none.
  Value& write(const std::string& key) {
    const auto known = places_.find(key);
    if (known != places_.end()) {
      entries_.splice(entries_.begin(), entries_, known->second);
      return entries_.front().second;
    }
    if (entries_.size() >= limit_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, Value());
    places_.emplace(key, entries_.begin());
    return entries_.front().second;
  }

  // nullptr when there is none.
  [[nodiscard]] const Value* find(std::string_view key) const {
    const auto place = places_.find(std::string(key));
    return place == places_.end() ? nullptr : &place->second->second;
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  void erase(const std::string& key) {
    const auto place = places_.find(key);
    if (place == places_.end()) return;
    entries_.erase(place->second);
    places_.erase(place);
  }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;

  const std::size_t limit_;
  Entries entries_;  // the newest first
  std::unordered_map<std::string, typename Entries::iterator> places_;
};

}  // namespace ccm

#include "plugin/settled_times.hpp"

#include <chrono>
#include <functional>
#include <utility>

namespace ccm::plugin {

namespace {

constexpr std::size_t kFirstSize = 64;
constexpr std::size_t kMostPlaces = 16'384;
constexpr std::size_t kReach = 16;  // possible places of a mark

uint32_t mark_of(std::string_view key) {
  const uint64_t hash = std::hash<std::string_view>()(key);
  const auto mark = static_cast<uint32_t>(hash ^ (hash >> 32));
  return mark == 0 ? 1 : mark;
}

}  // namespace

const SettledTimes::Place* SettledTimes::search(uint32_t mark) const {
  if (places_.empty()) return nullptr;
  for (std::size_t step = 0; step < kReach; ++step) {
    const Place& place = places_[(mark + step) % places_.size()];
    if (place.mark == mark) return &place;
  }
  return nullptr;
}

void SettledTimes::put(Place place) {
  Place* best = nullptr;
  for (std::size_t step = 0; step < kReach; ++step) {
    Place& there = places_[(place.mark + step) % places_.size()];
    if (there.mark == place.mark) {
      there = place;
      return;
    }
    const bool better = best == nullptr || (there.mark == 0 && best->mark != 0) ||
                        (there.mark != 0 && best->mark != 0 && there.seconds < best->seconds);
    if (better) best = &there;
  }
  if (best->mark == 0) ++used_;
  *best = place;
}

void SettledTimes::grow() {
  const std::size_t size = places_.empty() ? kFirstSize : places_.size() * 2;
  const auto before = std::exchange(places_, std::vector<Place>(size));
  used_ = 0;
  for (const Place& place : before) {
    if (place.mark != 0) put(place);
  }
}

void SettledTimes::note(std::string_view key, runtime::TimePoint when) {
  if (!begin_) begin_ = when;
  if (used_ * 2 >= places_.size() && places_.size() < kMostPlaces) grow();
  const auto since = std::chrono::duration_cast<std::chrono::seconds>(when - *begin_);
  put({mark_of(key), static_cast<uint32_t>(since.count())});
}

void SettledTimes::forget(std::string_view key) {
  const Place* place = search(mark_of(key));
  if (place == nullptr) return;
  places_[static_cast<std::size_t>(place - places_.data())] = {};
  --used_;
}

std::optional<runtime::TimePoint> SettledTimes::find(std::string_view key) const {
  const Place* place = search(mark_of(key));
  if (place == nullptr) return std::nullopt;
  return *begin_ + std::chrono::seconds(place->seconds);
}

}  // namespace ccm::plugin

#include "look_pace.hpp"

#include <algorithm>

namespace ccm::node_lifecycle {

using Milliseconds = LookPace::Milliseconds;

namespace {

constexpr Milliseconds kLongestRefill{120'000};

}  // namespace

LookPace::LookPace(Milliseconds period)
    : period_(period),
      refill_(
          std::max(period, period < kLongestRefill / kQuick ? kQuick * period : kLongestRefill)) {}

double LookPace::left(const Looks& looks, Milliseconds now) const {
  const double back = std::chrono::duration<double>(now - looks.at) / refill_;
  return std::min(looks.left + std::max(back, 0.0), static_cast<double>(kQuick));
}

Milliseconds LookPace::until_one(double left) const {
  if (left >= 1) return Milliseconds(0);
  return std::chrono::ceil<Milliseconds>((1 - left) * std::chrono::duration<double>(refill_));
}

Milliseconds LookPace::wait(std::string_view name, Milliseconds now) const {
  const auto place = nodes_.find(name);
  return place == nodes_.end() ? Milliseconds(0) : until_one(left(place->second, now));
}

// Also of Nodes that are gone for a while: the next one of that name may be the same kubelet's.
LookPace::Looks& LookPace::looks_of(const std::string& name, Milliseconds now) {
  if (nodes_.size() >= prune_at_) {
    std::erase_if(nodes_, [&](const auto& entry) { return left(entry.second, now) >= kQuick; });
    prune_at_ = std::max<std::size_t>(64, nodes_.size() * 2);
  }
  return nodes_[name];
}

Milliseconds LookPace::look(const std::string& name, Milliseconds now) {
  Looks& looks = looks_of(name, now);
  looks = {std::max(left(looks, now) - 1, 0.0), now};
  return std::max(period_, until_one(looks.left));
}

void LookPace::hinted(const std::string& name, Milliseconds now) {
  const auto place = nodes_.find(name);
  if (place != nodes_.end()) place->second = {std::max(left(place->second, now), 1.0), now};
}

}  // namespace ccm::node_lifecycle

#include "flap_damping.hpp"

#include "names.hpp"

#include <algorithm>
#include <utility>

namespace ccm::service {
namespace {

constexpr int kAtOnce = 6;
constexpr std::chrono::milliseconds kPeriod{600'000};

}  // namespace

// When its next change may count.
FlapDamping::Milliseconds FlapDamping::due(const Entry& entry) {
  return entry.full - (kAtOnce - 1) * kPeriod;
}

const FlapDamping::Entry* FlapDamping::held(const Object& node) const {
  const auto place = nodes_.find(node.name());
  if (place == nodes_.end() || !place->second.held) return nullptr;
  return place->second.uid == node.uid() ? &place->second : nullptr;
}

Object FlapDamping::in_force(const Object& newest, bool leaves) const {
  const Entry* entry = leaves ? nullptr : held(newest);
  return entry == nullptr ? newest : *entry->held;
}

bool FlapDamping::change(const Object& before, const Object& now, bool leaves) {
  Entry& entry = nodes_[std::string(now.name())];
  if (entry.uid != now.uid()) entry = Entry{std::string(now.uid()), {}, {}, false};
  const Milliseconds time = host_.timer.now();
  entry.full = std::max(entry.full, time);
  if (entry.full == time) entry.told = false;
  if (leaves || due(entry) <= time) {
    if (!leaves) entry.full += kPeriod;
    entry.held.reset();
    return true;
  }
  if (!entry.held) entry.held = before;
  tell(now, entry);
  return false;
}

void FlapDamping::settled(const Object& node) {
  const auto place = nodes_.find(node.name());
  if (place != nodes_.end()) place->second.held.reset();
}

void FlapDamping::forget(const Object& node) {
  const auto place = nodes_.find(node.name());
  if (place != nodes_.end()) nodes_.erase(place);
}

std::optional<FlapDamping::Milliseconds> FlapDamping::left(const Object& node) const {
  const Entry* entry = held(node);
  if (entry == nullptr) return std::nullopt;
  return std::max(due(*entry) - host_.timer.now(), Milliseconds(1));
}

bool FlapDamping::release() {
  const Milliseconds time = host_.timer.now();
  bool any = false;
  for (auto& [name, entry] : nodes_) {
    if (!entry.held || due(entry) > time) continue;
    entry.held.reset();
    entry.full = std::max(entry.full, time) + kPeriod;
    any = true;
  }
  return any;
}

std::optional<FlapDamping::Milliseconds> FlapDamping::next() const {
  std::optional<Milliseconds> earliest;
  for (const auto& [name, entry] : nodes_) {
    if (!entry.held) continue;
    const Milliseconds wait = std::max(due(entry) - host_.timer.now(), Milliseconds(1));
    earliest = std::min(earliest.value_or(wait), wait);
  }
  return earliest;
}

// Once, until the Node has been at rest for as long as its bucket takes.
void FlapDamping::tell(const Object& node, Entry& entry) const {
  if (std::exchange(entry.told, true)) return;
  events_.warning(node, kMembershipFlaps,
                  "A label or address that decides whether load balancers send this Node traffic, "
                  "such as node.kubernetes.io/exclude-from-external-load-balancers, changes again "
                  "and again. Such changes count every 10 minutes from now on; a Node that leaves "
                  "is out at once");
}

}  // namespace ccm::service

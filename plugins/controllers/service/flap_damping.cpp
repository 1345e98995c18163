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

const FlapDamping::Entry* FlapDamping::waiting(const Object& node) const {
  const auto place = nodes_.find(node.name());
  if (place == nodes_.end() || !place->second.waits()) return nullptr;
  return place->second.uid == node.uid() ? &place->second : nullptr;
}

Object FlapDamping::in_force(const Object& newest, bool leaves) const {
  const Entry* entry = leaves ? nullptr : waiting(newest);
  return entry == nullptr ? newest : entry->held.value_or(newest);
}

bool FlapDamping::out(const Object& node) const {
  const Entry* entry = waiting(node);
  return entry != nullptr && entry->out;
}

bool FlapDamping::change(const Object& before, const Object& now, bool leaves) {
  Entry& entry = nodes_[std::string(now.name())];
  if (entry.out) return false;
  entry.uid = now.uid();
  const Milliseconds time = host_.timer.now();
  entry.full = std::max(entry.full, time);
  if (entry.full == time) entry.reported = false;
  if (leaves || due(entry) <= time) {
    if (!leaves) entry.full += kPeriod;
    entry.held.reset();
    return true;
  }
  if (!entry.held) entry.held = before;
  report(now, entry);
  return false;
}

void FlapDamping::settled(const Object& node) {
  const auto place = nodes_.find(node.name());
  if (place != nodes_.end()) place->second.held.reset();
}

void FlapDamping::gone(const Object& node) {
  const Milliseconds time = host_.timer.now();
  forget_some(time);
  Entry& entry = nodes_[std::string(node.name())];
  entry.uid.clear();
  entry.held.reset();
  entry.out = false;
  entry.went = time;
}

// Its return is the change that this pays for: nobody is kept who does not come back.
void FlapDamping::shown() {
  const Milliseconds time = host_.timer.now();
  for (auto& [name, entry] : nodes_) {
    if (!std::exchange(entry.went, std::nullopt)) continue;
    entry.full = std::min(std::max(entry.full, time) + kPeriod, time + kAtOnce * kPeriod);
  }
}

bool FlapDamping::came(const Object& node) {
  const auto place = nodes_.find(node.name());
  if (place == nodes_.end()) return true;
  Entry& entry = place->second;
  const Milliseconds time = host_.timer.now();
  entry.uid = node.uid();
  entry.went.reset();
  entry.out = due(entry) > time;
  if (entry.full <= time) entry.reported = false;
  if (entry.out) report(node, entry);
  return !entry.out;
}

// Without Services nothing is ever shown.
void FlapDamping::forget_some(Milliseconds time) {
  if (nodes_.size() < forget_at_) return;
  std::erase_if(nodes_, [&](const auto& each) {
    const Entry& entry = each.second;
    return entry.uid.empty() && entry.full <= time &&
           time - entry.went.value_or(time - kPeriod) >= kPeriod;
  });
  forget_at_ = std::max<std::size_t>(64, 2 * nodes_.size());
}

std::optional<FlapDamping::Milliseconds> FlapDamping::left(const Object& node) const {
  const Entry* entry = waiting(node);
  if (entry == nullptr) return std::nullopt;
  return std::max(due(*entry) - host_.timer.now(), Milliseconds(1));
}

bool FlapDamping::release() {
  const Milliseconds time = host_.timer.now();
  bool any = false;
  for (auto& [name, entry] : nodes_) {
    if (!entry.waits() || due(entry) > time) continue;
    if (!std::exchange(entry.out, false)) entry.full = std::max(entry.full, time) + kPeriod;
    entry.held.reset();
    any = true;
  }
  return any;
}

std::optional<FlapDamping::Milliseconds> FlapDamping::next() const {
  std::optional<Milliseconds> earliest;
  for (const auto& [name, entry] : nodes_) {
    if (!entry.waits()) continue;
    const Milliseconds wait = std::max(due(entry) - host_.timer.now(), Milliseconds(1));
    earliest = std::min(earliest.value_or(wait), wait);
  }
  return earliest;
}

// Once, until the Node has been at rest for as long as its bucket takes.
void FlapDamping::report(const Object& node, Entry& entry) const {
  if (std::exchange(entry.reported, true)) return;
  events_.warning(node, kMembershipFlaps,
                  "A label or address that decides whether load balancers send this Node traffic, "
                  "such as node.kubernetes.io/exclude-from-external-load-balancers, changes again "
                  "and again, or the Node itself goes and comes. Such changes count every 10 "
                  "minutes from now on; a Node that leaves is out at once");
}

}  // namespace ccm::service

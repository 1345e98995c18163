#include "cloud/deletion/held_nodes.hpp"

#include <chrono>

namespace ccm::cloud {

namespace {

// Longer than any controller waits before it asks again.
constexpr std::chrono::minutes kAskedAgain{5};

}  // namespace

void HeldNodes::hold(const NodeFacts& node) { held_[node.name] = {node.uid, timers_.now()}; }

void HeldNodes::forget(const NodeFacts& node) {
  const auto place = held_.find(node.name);
  if (place != held_.end() && place->second.uid == node.uid) held_.erase(place);
}

bool HeldNodes::wanted(const std::string& name, const Held& held) const {
  if (timers_.now() - held.asked > kAskedAgain) return false;
  const auto cached = cache_.get("v1/nodes", {}, name);
  if (!cached) return false;
  const NodeFacts node = facts_of(cached);
  return node.uid == held.uid && !node.ready && !node.deleting;
}

void HeldNodes::refresh() {
  std::erase_if(held_, [&](const auto& entry) { return !wanted(entry.first, entry.second); });
}

std::vector<std::string> HeldNodes::names() const {
  std::vector<std::string> names;
  for (const auto& [name, held] : held_) {
    if (wanted(name, held)) names.push_back(name);
  }
  return names;
}

std::unordered_set<std::string> HeldNodes::uids() const {
  std::unordered_set<std::string> uids;
  for (const auto& [name, held] : held_) uids.insert(held.uid);
  return uids;
}

}  // namespace ccm::cloud

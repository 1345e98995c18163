#include "serving/auth/review_slots.hpp"

#include <utility>

namespace ccm::serving {

ReviewSlots::Place ReviewSlots::take(const Asker& asker) {
  Counts& now = *counts_;
  std::string key = (asker.known ? "k:" : "s:") + asker.name;
  const auto found = now.by_asker.find(key);
  const std::size_t own = found == now.by_asker.end() ? 0 : found->second;
  const bool full = now.all >= limits_.all ||
                    (!asker.known && now.strangers >= limits_.strangers) ||
                    own >= (asker.known ? limits_.one_known : limits_.one_stranger);
  if (full) return nullptr;
  ++now.all;
  now.strangers += asker.known ? 0 : 1;
  ++now.by_asker[key];
  const auto free = [counts = counts_, key = std::move(key), known = asker.known](void*) {
    --counts->all;
    counts->strangers -= known ? 0 : 1;
    if (--counts->by_asker[key] == 0) counts->by_asker.erase(key);
  };
  return Place(&now, free);
}

}  // namespace ccm::serving

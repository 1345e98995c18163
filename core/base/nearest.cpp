#include "base/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ccm {
namespace {

// Insertions, deletions, replacements and swaps of neighbours.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

bool contains(std::string_view whole, std::string_view part) {
  return part.size() >= 4 && whole.find(part) != std::string_view::npos;
}

}  // namespace

std::string nearest(std::string_view typed, std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_edits = 0;
  for (const std::string& candidate : candidates) {
    const std::size_t shorter = std::min(typed.size(), candidate.size());
    const std::size_t longer = std::max(typed.size(), candidate.size());
    const std::size_t limit = std::max<std::size_t>(1, longer / 3);
    const bool part = contains(candidate, typed) || contains(typed, candidate);
    // At least the difference of the lengths has to be inserted.
    if (!part && longer - shorter > limit) continue;
    const std::size_t distance = edits(typed, candidate);
    if (!part && distance > limit) continue;
    if (best == nullptr || distance < best_edits) {
      best = &candidate;
      best_edits = distance;
    }
  }
  return best == nullptr ? std::string() : *best;
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> candidates,
                         std::string_view prefix) {
  const std::string name = nearest(typed, candidates);
  if (name.empty()) return {};
  return " (did you mean " + std::string(prefix) + name + "?)";
}

}  // namespace ccm

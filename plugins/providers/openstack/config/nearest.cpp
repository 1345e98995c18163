#include "nearest.hpp"

#include "values.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ccm::openstack {
namespace {

constexpr size_t kLongestName = 64;  // nobody means a known one by a longer one

// Insertions, deletions, replacements and swaps of neighbours.
size_t edits(std::string_view a, std::string_view b) {
  const auto equal = [&](size_t i, size_t j) {
    return equal_ignoring_case(a.substr(i, 1), b.substr(j, 1));
  };
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = last[j - 1] + (equal(i - 1, j - 1) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && equal(i - 1, j - 2) && equal(i - 2, j - 1);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known) {
  if (typed.size() > kLongestName) return {};
  std::string_view nearest;
  size_t least = kLongestName;
  for (const std::string_view name : known) {
    const size_t distance = edits(typed, name);
    if (distance >= least || distance > std::max<size_t>(1, name.size() / 3)) continue;
    nearest = name;
    least = distance;
  }
  if (nearest.empty()) return {};
  return " (did you mean " + std::string(nearest) + "?)";
}

}  // namespace ccm::openstack

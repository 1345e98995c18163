// "Did you mean ...": the known name that somebody meant. The cost is bounded by the number of
// known names, however many names a user has invented and however long they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {

namespace detail {

inline constexpr std::size_t kMostEdits = 3;          // beyond them it is another word
inline constexpr std::size_t kShortestPart = 4;       // of a name that stands for all of it
inline constexpr std::size_t kLongestMistyped = 128;  // nobody means a known name by a longer one

// Edits between the two names: insertions, deletions, replacements and swaps of neighbours; `most`
// + 1 when there are more than `most`, which is at most kMostEdits. Case does not count. Adds the
// comparisons that it needs to `work`: at most 7 for each character of `a`.
inline std::size_t edits_within(std::string_view a, std::string_view b, std::size_t most,
                                uint64_t& work) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto equal = [&](std::size_t i, std::size_t j) { return lower(a[i]) == lower(b[j]); };
  // At least the difference of the lengths has to be inserted.
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
  // Rows of the table, each with the columns that are at most `most` away from its diagonal.
  constexpr std::size_t kWidth = 2 * kMostEdits + 1;
  std::array<std::array<std::size_t, kWidth + 2>, 3> rows{};
  for (auto& row : rows) row.fill(most + 1);
  for (std::size_t i = 0; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& last = rows[(i + 2) % 3];
    const auto& before = rows[(i + 1) % 3];
    row.fill(most + 1);
    std::size_t least = most + 1;
    const std::size_t end = std::min(b.size(), i + most);
    for (std::size_t j = i > most ? i - most : 0; j <= end; ++j, ++work) {
      const std::size_t at = j + most + 1 - i;  // the same for all neighbours on a diagonal
      std::size_t& cell = row[at];
      if (i == 0 || j == 0) {
        cell = std::min(i + j, most + 1);
      } else {
        const std::size_t same = equal(i - 1, j - 1) ? 0 : 1;
        cell = std::min({last[at] + same, last[at + 1] + 1, row[at - 1] + 1, most + 1});
        if (i > 1 && j > 1 && equal(i - 1, j - 2) && equal(i - 2, j - 1)) {
          cell = std::min(cell, before[at] + 1);
        }
      }
      least = std::min(least, cell);
    }
    if (least > most) return most + 1;
  }
  return rows[a.size() % 3][b.size() + most + 1 - a.size()];
}

}  // namespace detail

// The name in `known` (texts) with the fewest edits from `typed`, if those are few enough to be a
// slip: 3 at most, and a third of its length; or one contains the other. Else empty. Adds the
// comparisons of characters to `work`, at most 1,024 for each of `known`. [any-thread]
template <typename Names>
std::string_view nearest(std::string_view typed, const Names& known, uint64_t& work) {
  std::string_view best;
  std::size_t fewest = detail::kLongestMistyped;
  if (typed.empty() || typed.size() > detail::kLongestMistyped) return best;
  for (const std::string_view name : known) {
    const std::string_view shorter = name.size() < typed.size() ? name : typed;
    const std::string_view longer = name.size() < typed.size() ? typed : name;
    const std::size_t most = std::clamp<std::size_t>(name.size() / 3, 1, detail::kMostEdits);
    std::size_t edits = detail::edits_within(typed, name, most, work);
    if (edits > most && longer.size() <= detail::kLongestMistyped &&
        shorter.size() >= detail::kShortestPart) {
      work += longer.size();
      if (longer.find(shorter) == std::string_view::npos) continue;
      edits = longer.size() - shorter.size();
    } else if (edits > most) {
      continue;
    }
    if (edits >= fewest) continue;
    best = name;
    fewest = edits;
  }
  return best;
}

template <typename Names>
std::string_view nearest(std::string_view typed, const Names& known) {
  uint64_t work = 0;
  return nearest(typed, known, work);
}

// " (did you mean NAME?)", or an empty text: to be appended to a message. `prefix` goes before
// NAME. [any-thread]
template <typename Names>
std::string did_you_mean(std::string_view typed, const Names& known, std::string_view prefix = {}) {
  const std::string_view name = nearest(typed, known);
  if (name.empty()) return {};
  return " (did you mean " + std::string(prefix) + std::string(name) + "?)";
}

// nearest() for the names in objects of users, such as annotations: a name that was looked for is
// remembered, so that an object which stays as it is costs nothing at its next sync. One thread at
// a time.
class SpellingHelp {
 public:
  static constexpr std::size_t kMostNamed = 20;  // of one object
  static constexpr std::size_t kRemembered = 1'000;

  struct Unknown {
    std::string name;
    std::string_view nearest;  // empty when none is
  };
  // The unknown names of one object.
  struct Report {
    std::vector<Unknown> named;  // the first ones
    std::size_t others = 0;      // that are not named
  };

  // `known` must outlive this.
  explicit SpellingHelp(std::span<const std::string_view> known)
      : known_(known.begin(), known.end()) {
    std::sort(known_.begin(), known_.end());
  }

  [[nodiscard]] bool knows(std::string_view name) const {
    return std::binary_search(known_.begin(), known_.end(), name);
  }

  // Adds a name that is not known.
  void add(std::string_view name, Report& report) {
    if (report.named.size() == kMostNamed) {
      ++report.others;
      return;
    }
    report.named.push_back({std::string(name), nearest_of(name)});
  }

  // Comparisons of characters up to now: at most 20 times 1,024 times the known names for an
  // object.
  [[nodiscard]] uint64_t work() const { return work_; }

 private:
  std::string_view nearest_of(std::string_view name) {
    // A longer one has none, and needs no room.
    if (name.size() > detail::kLongestMistyped) return {};
    const auto place = remembered_.find(name);
    if (place != remembered_.end()) return place->second;
    if (remembered_.size() == kRemembered) remembered_.clear();
    const std::string_view found = nearest(name, known_, work_);
    remembered_.emplace(name, found);
    return found;
  }

  std::vector<std::string_view> known_;  // in order
  std::map<std::string, std::string_view, std::less<>> remembered_;
  uint64_t work_ = 0;
};

}  // namespace ccm

// Which Node has which address range. A kubelet chooses the Pod ranges of its Node when it
// registers (NodeRestriction does not look at them), so two Nodes may claim ranges that overlap:
// then one of them has its range, and the other has none. Pure; any thread.
#pragma once

#include <ccm/cidr.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>
#include <vector>

namespace ccm {

// One range of one Node. OWNERSHIP: borrows.
struct RangeClaim {
  std::string_view created;  // .metadata.creationTimestamp, as the API server writes it
  std::string_view uid;      // of the Node
  Cidr range;
  // Claims of a smaller rank come first, whatever their ages: such as what works already.
  int rank = 0;
};

// Element i is about claims[i]: the index of the claim that has the range, or a part of it, in its
// stead; nothing when it is its own. Of one rank the older Node comes first, of the same second the
// one with the smaller UID: what others cannot choose. The order of `claims` does not matter, nor
// which of two ranges is the wider one. Takes O(n log n).
inline std::vector<std::optional<std::size_t>> judge_ranges(const std::vector<RangeClaim>& claims) {
  std::vector<std::size_t> order(claims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto place = [&](std::size_t i) {
    const RangeClaim& claim = claims[i];
    return std::tuple(claim.rank, claim.created, claim.uid, claim.range, i);
  };
  std::sort(order.begin(), order.end(),
            [&](std::size_t left, std::size_t right) { return place(left) < place(right); });
  std::vector<std::optional<std::size_t>> holders(claims.size());
  // No two of these overlap. So a range that contains another one comes right before it, and one
  // that it contains right after it.
  std::map<Cidr, std::size_t> held;
  for (const std::size_t i : order) {
    const Cidr& range = claims[i].range;
    const auto after = held.lower_bound(range);
    if (after != held.end() && range.contains(after->first)) {
      holders[i] = after->second;
    } else if (after != held.begin() && std::prev(after)->first.contains(range)) {
      holders[i] = std::prev(after)->second;
    } else {
      held.emplace_hint(after, range, i);
    }
  }
  return holders;
}

}  // namespace ccm

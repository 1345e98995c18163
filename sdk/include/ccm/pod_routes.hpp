// Which Pod ranges of Nodes get routes in the cloud: the rule of the route controller, and of the
// host, which asks nobody's leave to apply it once more. Any thread.
#pragma once

#include <ccm/cidr.hpp>
#include <ccm/range_claims.hpp>
#include <ccm/routable_ranges.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace ccm {

// An entry of spec.podCIDRs of one Node. OWNERSHIP: borrows.
struct PodRange {
  std::string_view created;  // .metadata.creationTimestamp of the Node
  std::string_view uid;
  Cidr range;
  bool routed = false;  // a route of this cluster leads to this Node's instance
};

struct PodRangeVerdict {
  // A route may lead there, or stay.
  bool routable = false;
  std::optional<RangeRefusal>
      refusal;                        // why none may; of one that may stay, why none would be made
  std::optional<std::size_t> holder;  // the index of the entry of an older Node that is in its way
};

// Element i is about given[i]. A range that is routed keeps its route; else of ranges that overlap,
// be they wider or narrower, that of the older Node gets one. Takes O(n log n).
inline std::vector<PodRangeVerdict> judge_pod_ranges(const RoutableRanges& ranges,
                                                     const std::vector<PodRange>& given) {
  enum Rank { kRouted, kWanted, kTolerated };
  std::vector<PodRangeVerdict> verdicts(given.size());
  std::vector<RangeClaim> claims;
  std::vector<std::size_t> places;  // of the claims
  for (std::size_t i = 0; i < given.size(); ++i) {
    const PodRange& pod = given[i];
    verdicts[i].refusal = ranges.refusal(pod.range);
    const bool tolerated = verdicts[i].refusal && verdicts[i].refusal->tolerable && pod.routed;
    if (verdicts[i].refusal && !tolerated) continue;
    const Rank rank = tolerated ? kTolerated : pod.routed ? kRouted : kWanted;
    claims.push_back({pod.created, pod.uid, pod.range, rank});
    places.push_back(i);
  }
  const auto holders = judge_ranges(claims);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    PodRangeVerdict& verdict = verdicts[places[i]];
    if (holders[i]) verdict.holder = places[*holders[i]];
    verdict.routable = !holders[i];
  }
  return verdicts;
}

}  // namespace ccm

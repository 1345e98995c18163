#include "route_delay.hpp"

#include <algorithm>

namespace ccm::route {

void RouteDelay::wanted(const NodeState& node, Milliseconds now) {
  if (node.provider_id.empty() || node.ranges.empty()) return;
  Ranges& ranges = waiting_[node.uid];
  for (const std::string& range : node.ranges) ranges.try_emplace(range, now);
}

void RouteDelay::made(const NodeState& node, const std::string& range, Milliseconds now) {
  const auto ranges = waiting_.find(node.uid);
  if (ranges == waiting_.end()) return;
  const auto place = ranges->second.find(range);
  if (place == ranges->second.end()) return;
  delay_.record(static_cast<double>((now - place->second).count()) / 1e3);
  ranges->second.erase(place);
}

void RouteDelay::settled(const NodeState& node, const NodePlan& plan, Milliseconds begun) {
  const auto ranges = waiting_.find(node.uid);
  if (ranges == waiting_.end()) return;
  std::erase_if(ranges->second, [&](const auto& entry) {
    // That run has not seen later events.
    if (entry.second > begun) return false;
    return std::none_of(plan.ranges.begin(), plan.ranges.end(), [&](const RangePlan& range) {
      return range.text == entry.first && range.outcome != Outcome::kept;
    });
  });
  if (ranges->second.empty()) waiting_.erase(ranges);
}

}  // namespace ccm::route

// The steps of a plan as one request. Any thread.
#pragma once

#include "plan.hpp"

#include <ccm/route.hpp>

#include <cstddef>
#include <vector>

namespace ccm::route {

// The arguments of one `apply`.
struct Batch {
  std::vector<std::size_t> removals;  // indices of listed routes
  std::vector<Addition> additions;
  std::vector<bool> replaces;  // for each addition: whether it replaces a removed route
};

// All of a plan's steps, in order. The host judges them as a whole and splits them into calls of
// the cloud's size.
Batch make_batch(const Plan& plan);

// The batch without its removals, and without the additions that replace one.
Batch without_removals(const Batch& batch);

// The addition for one of a Node's ranges (ROUTE-23), without addresses: the host takes them from
// the cloud. Its name hint is the Node's uid with the
// range, so the two of a dual-stack Node differ, unlike upstream's (ROUTE-24).
Route make_route(const NodeState& node, const RangePlan& range);

}  // namespace ccm::route

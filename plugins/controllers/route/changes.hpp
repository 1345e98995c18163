// The steps of a plan as one request. Any thread.
#pragma once

#include "plan.hpp"

#include <ccm/route.hpp>

#include <cstddef>
#include <vector>

namespace ccm::route {

// What one `apply` is given.
struct Batch {
  std::vector<std::size_t> removals;  // indices of listed routes
  std::vector<Addition> additions;
  std::vector<bool> replaces;  // for each addition: whether it takes the place of a removal
};

// All of a plan's steps, in their order. The host judges them as a whole and cuts them into what
// the cloud takes in a call.
Batch make_batch(const Plan& plan);

// The same without removals, and without what would take the place of one.
Batch without_removals(const Batch& batch);

// What is to be added for one of a Node's ranges (ROUTE-23). Its name hint is the Node's uid with
// the range, so the two of a dual-stack Node differ, unlike upstream's (ROUTE-24).
Route make_route(const NodeState& node, const RangePlan& range);

}  // namespace ccm::route

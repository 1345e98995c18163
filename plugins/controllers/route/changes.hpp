// The steps of a plan as batches for the cloud. Any thread.
#pragma once

#include "plan.hpp"

#include <ccm/route.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccm::route {

// What one `apply` is given.
struct Batch {
  std::vector<std::size_t> removals;  // indices of listed routes
  std::vector<Addition> additions;
  std::vector<bool> replaces;  // for each addition: whether it takes the place of a removal
};

// As few as `limit` changes in each allow (0 = any number). Steps stay whole and in their order;
// one that is larger than the limit gets a batch of its own.
std::vector<Batch> make_batches(const Plan& plan, int64_t limit);

// The same without removals, and without what would take the place of one.
Batch without_removals(const Batch& batch);

// What is to be added for one of a Node's ranges (ROUTE-23). Its name hint is the Node's uid with
// the range, so the two of a dual-stack Node differ, unlike upstream's (ROUTE-24).
Route make_route(const NodeState& node, const RangePlan& range);

}  // namespace ccm::route

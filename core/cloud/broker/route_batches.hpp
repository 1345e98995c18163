// The changes of one request as batches that the cloud takes. Any thread.
#pragma once

#include <ccm/route.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ccm::plugin {

// Indices of what one call removes and adds.
struct RouteBatch {
  std::vector<std::size_t> removals;
  std::vector<std::size_t> additions;
};

// As few as `limit` changes in each allow (0 = any number), removals first, in the order of the
// request. The replacement of a removed route goes with it, so that a
// destination is without a route for one call at most; such a step that is larger than the limit
// gets a batch of its own. `removals`: which of them are to be made.
std::vector<RouteBatch> batches_of(const std::vector<Route>& all_removals,
                                   const std::vector<std::size_t>& removals,
                                   const std::vector<Route>& additions, int64_t limit);

}  // namespace ccm::plugin

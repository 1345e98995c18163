// The changes of routes that a controller asks for: copied and checked, which of them are
// replacements, and the batches that the cloud takes. Any thread.
#pragma once

#include <ccm/abi/routes.h>
#include <ccm/route.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ccm::cloud {

// Routes that a controller names; they hold references to their Nodes. Failure: invalid_argument.
Result<std::vector<Route>> read_routes(const ccm_route* const* routes, std::size_t count);

// Copies for LiveComponent::call. Failure: internal, the provider's answer makes no sense.
Result<std::vector<Route>> copy_routes(const void* result);
Result<std::vector<Status>> copy_route_results(const void* result);
Result<RouteLimits> copy_route_limits(const void* result);

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

// The removals of an apply of routes that are replacements, and so no absences for the brake.
// Borrows from the routes that it was made of.
class Replacements {
 public:
  Replacements(const std::vector<Route>& removals, const std::vector<Route>& additions,
               const std::vector<Route>& owned) {
    for (const Route& route : additions) {
      destinations_.insert(route.destination_cidr);
      targets_.insert(route.target_node);
    }
    std::set<std::pair<std::string_view, std::string_view>> removed;
    for (const Route& route : removals) removed.emplace(route.id, route.destination_cidr);
    for (const Route& route : owned) {
      if (route.blackhole || removed.contains({route.id, route.destination_cidr})) continue;
      destinations_.insert(route.destination_cidr);
    }
  }

  // Its destination stays routed, or its Node gets another route.
  [[nodiscard]] bool of(const Route& route) const {
    return destinations_.contains(route.destination_cidr) ||
           (!route.target_node.empty() && targets_.contains(route.target_node));
  }

 private:
  std::unordered_set<std::string_view> destinations_;
  std::unordered_set<std::string_view> targets_;
};

}  // namespace ccm::cloud

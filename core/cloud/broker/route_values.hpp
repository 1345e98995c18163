// Routes between the two components and this host: copied and checked. Any thread.
#pragma once

#include <ccm/abi/routes.h>
#include <ccm/route.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <vector>

namespace ccm::plugin {

// Routes that a controller names; they hold references to their Nodes. Failure: invalid_argument.
Result<std::vector<Route>> read_routes(const ccm_route* const* routes, std::size_t count);

// Copies for LiveComponent::call. Failure: internal, the provider's answer makes no sense.
Result<std::vector<Route>> copy_routes(const void* result);
Result<std::vector<Status>> copy_route_results(const void* result);
Result<RouteLimits> copy_route_limits(const void* result);

}  // namespace ccm::plugin

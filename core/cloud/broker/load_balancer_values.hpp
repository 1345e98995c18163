// Load balancers between a controller, a provider and this host: requests and answers, copied and
// checked. Any thread.
#pragma once

#include "plugin/dispatch.hpp"

#include <ccm/abi/loadbalancers.h>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <string>

// A failed operation may hand over what it made so far.
template <>
inline constexpr bool ccm::plugin::kResultWithFailure<ccm::LoadBalancer> = true;

namespace ccm::cloud {

// A copy of a controller's request; it holds references to the objects that it names, and shares
// its backends with the other requests.
struct LoadBalancerRequest {
  LoadBalancerService service;
  Backends backends;
};

// Failure: invalid_argument, or unimplemented "UnknownRequest".
Result<LoadBalancerRequest> read_request(const ccm_load_balancer_request* request,
                                         detail::BackendLists& lists);

// Copies for LiveComponent::call. Failure: internal, the provider's answer makes no sense.
Result<LoadBalancer> copy_load_balancer(const void* result);
Result<std::string> copy_name(const void* result);
Result<std::string> copy_lane(const void* result);
Result<LoadBalancerLimits> copy_load_balancer_limits(const void* result);

}  // namespace ccm::cloud

// Load balancers between a controller, a provider and this host: requests and answers, copied and
// checked. Any thread.
#pragma once

#include <ccm/abi/loadbalancers.h>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <cstddef>
#include <string>

namespace ccm::plugin {

// A copy of a controller's request; it holds references to the objects that it names, and shares
// its backends with the other requests.
struct LoadBalancerRequest {
  LoadBalancerService service;
  Backends backends;
};

// Failure: invalid_argument.
Result<LoadBalancerRequest> read_request(const ccm_service* service,
                                         const ccm_backend* const* backends, std::size_t count,
                                         detail::BackendLists& lists);

// Copies for LiveComponent::call. Failure: internal, the provider's answer makes no sense.
Result<LoadBalancer> copy_load_balancer(const void* result);
Result<std::string> copy_name(const void* result);
Result<LoadBalancerLimits> copy_load_balancer_limits(const void* result);

}  // namespace ccm::plugin

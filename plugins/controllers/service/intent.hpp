// A Service's request to the cloud. Any thread.
#pragma once

#include "classes.hpp"
#include "service_state.hpp"

#include <ccm/load_balancer.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::service {

// Facts about a Service's load balancer that are not in the Service itself.
struct IntentOptions {
  std::string cluster_name;
  std::string id_annotation;
  std::string known_id;  // from the cloud's answer; for a Service that lost its annotation
};

// The request for `ensure` and similar calls; invalid_spec when the Service contradicts itself.
Result<LoadBalancerService> make_intent(const Object& object, const ServiceState& service,
                                        const LoadBalancerClass& balancer_class,
                                        const IntentOptions& options);

// The request for `remove`: of a Service that may have no ports any more (TRAP-41).
LoadBalancerService make_removal(const Object& object, const ServiceState& service,
                                 const IntentOptions& options);

// Covers everything that may change the load balancer, except for this controller's own writes: the
// known id, and the annotations of the provider.
uint64_t intent_hash(const LoadBalancerService& intent, const ServiceState& service,
                     const IntentOptions& options, const std::vector<Label>& own);

// CLOUD-7.
std::string default_name(std::string_view uid);

}  // namespace ccm::service

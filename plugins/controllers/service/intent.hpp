// What a Service asks the cloud for. Any thread.
#pragma once

#include "classes.hpp"
#include "service_state.hpp"

#include <ccm/load_balancer.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::service {

// What is known of a Service's load balancer beside the Service itself.
struct Surroundings {
  std::string cluster_name;
  std::string id_annotation;
  std::string known_id;  // by an answer of the cloud; for a Service that lost its annotation
};

// The request for `ensure` and the like; invalid_spec when the Service contradicts itself.
Result<LoadBalancerService> make_intent(const Object& object, const ServiceState& service,
                                        const LoadBalancerClass& balancer_class,
                                        const Surroundings& surroundings);

// The request for `remove`: of a Service that may have no ports any more (TRAP-41).
LoadBalancerService make_removal(const Object& object, const ServiceState& service,
                                 const Surroundings& surroundings);

// Of all that may change the load balancer, but not of what this controller itself wrote: the id
// that is known, and the annotations of the provider.
uint64_t intent_hash(const LoadBalancerService& intent, const ServiceState& service,
                     const Surroundings& surroundings, const std::vector<Label>& own);

// CLOUD-7.
std::string default_name(std::string_view uid);

}  // namespace ccm::service

// The needs of a Service, and whether a change of it matters. Any thread.
#pragma once

#include "classes.hpp"
#include "service_state.hpp"

namespace ccm::service {

// SVC-7, with the table of classes.
bool wants_load_balancer(const ServiceState& service, const ClassTable& classes);

// SVC-9: our finalizer is on it, and it is being deleted or no longer of type LoadBalancer.
bool needs_cleanup(const ServiceState& service);

// SVC-13: whether the cloud may have to change for it.
bool needs_update(const ServiceState& old, const ServiceState& now, const ClassTable& classes);

}  // namespace ccm::service

// The health check of a Service's load balancer (DO-194..DO-204). Any thread.
#pragma once

#include "digitalocean/load_balancers/annotations.hpp"
#include "digitalocean/load_balancers/model.hpp"

#include <ccm/load_balancer.hpp>

namespace ccm::digitalocean {

inline constexpr int32_t kKubeProxyHealthPort = 10256;

// Throws SpecError.
HealthCheck health_check(const LoadBalancerService& service, const Annotations& annotations);

}  // namespace ccm::digitalocean

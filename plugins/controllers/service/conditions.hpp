// The conditions that show on the Service what its load balancer is waiting for. Any thread.
#pragma once

#include "service_state.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ccm::service {

// cloud-controller-manager/LoadBalancerReady.
Condition ready(bool holds, std::string_view reason, const std::string& message);

// LoadBalancerPortsError, when the cloud refuses a port (KEP-1435); nothing when it refuses none.
std::optional<Condition> ports_error(const std::vector<Ingress>& ingress);

// Whether a write of `wanted` would change the status or the reason, or only the message.
enum class Difference { none, message, reason };
Difference difference(const Condition* stored, const Condition& wanted);

// `wanted` with the time of its last transition.
Condition timed(const Condition* stored, Condition wanted, std::chrono::milliseconds now);

}  // namespace ccm::service

// Forwarding rules of a Service (DO-167..DO-183). Any thread.
#pragma once

#include "digitalocean/load_balancers/annotations.hpp"
#include "digitalocean/load_balancers/model.hpp"

#include <ccm/load_balancer.hpp>

#include <string>
#include <vector>

namespace ccm::digitalocean {

// In the order of the Service's ports. `certificate_id` is the one resolved from the annotations;
// empty = none. Throws SpecError.
std::vector<ForwardingRule> forwarding_rules(const LoadBalancerService& service,
                                             const Annotations& annotations, std::string_view type,
                                             const std::string& certificate_id);

}  // namespace ccm::digitalocean

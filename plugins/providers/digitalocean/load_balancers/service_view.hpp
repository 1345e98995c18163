// The fields of a Service that this plugin's controllers need, in the form of the load balancers'
// code. The service controller's own requests have more. Any thread.
#pragma once

#include <ccm/load_balancer.hpp>
#include <ccm/object.hpp>

#include <string>
#include <vector>

namespace ccm::digitalocean {

// The fields that it reads, for a watch.
std::vector<std::string> service_view_fields();

LoadBalancerService service_view(const Object& object);

}  // namespace ccm::digitalocean

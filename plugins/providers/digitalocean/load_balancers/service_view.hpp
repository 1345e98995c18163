// A Service as far as the controllers of this plugin need it, in the form that the load balancers'
// code takes. The service controller's own requests say more. Any thread.
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

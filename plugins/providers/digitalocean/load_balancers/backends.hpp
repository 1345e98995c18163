// The Nodes that take a load balancer's traffic, and the address families that follow from them
// (DO-205..DO-217). Any thread.
#pragma once

#include "digitalocean/load_balancers/model.hpp"

#include <ccm/load_balancer.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace ccm::digitalocean {

struct EligibleBackends {
  Backends backends;        // the given list, if it reaches all of it
  size_t without_ipv6 = 0;  // how many are v4-only
  bool any_dual = false;
};

// The backends that such a load balancer can reach. Throws SpecError, of a class that is retried,
// when there are none (DO-210, DO-211).
EligibleBackends eligible_backends(const Backends& backends, std::string_view type,
                                   std::string_view network);

// The stack of a new load balancer: `asked` by annotation, or by type, network and backends
// (DO-212..DO-215). Throws SpecError.
std::string network_stack(std::string_view asked, std::string_view type, std::string_view network,
                          const EligibleBackends& backends);

}  // namespace ccm::digitalocean

// What Services need open on the droplets of the cluster (DO-256..DO-263). Pure; any thread.
#pragma once

#include <ccm/object.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

// An inbound rule for one port.
struct FirewallRule {
  std::string protocol;  // tcp, udp
  int32_t port = 0;
  std::vector<std::string> addresses;           // sorted
  std::vector<std::string> load_balancer_uids;  // sorted
  auto operator<=>(const FirewallRule&) const = default;
};

// What one Service asks for.
struct ServiceRules {
  std::vector<FirewallRule> rules;
  // Why it cannot be told for certain; then `rules` are those that it may have had: they stay where
  // they are open, and are not opened. One Service holds up no other one (DO-261).
  std::string doubt;
};

// Reads what service_view_fields() names. `default_type`: of load balancers whose Service does not
// say (DO-14).
//   NodePort: its node ports, from everywhere, unless the annotation firewall-managed is false.
//   LoadBalancer with an external REGIONAL_NETWORK load balancer: its ports, from where the Service
//   lets clients come from, and the health check's port, from the load balancer alone. One with a
//   loadBalancerClass only when an id is recorded: it may be another implementation's (DO-260).
ServiceRules firewall_rules(const Object& service, std::string_view default_type);

}  // namespace ccm::digitalocean

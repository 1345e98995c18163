// The ports that Services need open on the cluster's droplets (DO-256..DO-263). Pure; any thread.
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

// The ports of one Service.
struct ServiceRules {
  std::vector<FirewallRule> rules;
  // Why the rules are uncertain; then `rules` have only the Service's ports and its load balancer,
  // without sources and without the health check's port. One Service never blocks another (DO-261).
  std::string doubt;
};

// Reads the fields of service_view_fields(). `default_type`: of load balancers whose Service does
// not say (DO-14).
// None when the annotation firewall-managed is false. Else
//   NodePort: its node ports, from everywhere.
//   LoadBalancer with an external REGIONAL_NETWORK load balancer: its ports, for the Service's
//   allowed clients, and the health check's port, from the load balancer alone. One with a
//   loadBalancerClass only when an id is recorded: another implementation may own it (DO-260).
ServiceRules firewall_rules(const Object& service, std::string_view default_type);

}  // namespace ccm::digitalocean

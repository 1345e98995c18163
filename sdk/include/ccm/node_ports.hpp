// Services whose ports have no node ports (spec.allocateLoadBalancerNodePorts: false), for
// providers whose load balancers reach the Pods by these. [any-thread]
#pragma once

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <string>

namespace ccm {

// The ports without one: "80/TCP, 443/UDP"; empty = each has one.
inline std::string ports_without_node_port(const LoadBalancerService& service) {
  std::string list;
  for (const ServicePort& port : service.ports) {
    if (port.node_port != 0) continue;
    list += (list.empty() ? "" : ", ") + std::to_string(port.port) + "/" + port.protocol;
  }
  return list;
}

// Success when each port has one. Otherwise class invalid_spec, naming each port and what helps: a
// load balancer without them would be there and reach nothing.
inline Status need_node_ports(const LoadBalancerService& service) {
  const std::string list = ports_without_node_port(service);
  if (list.empty()) return {};
  return Status(Code::invalid_argument, ErrorClass::invalid_spec,
                "no node port, which the load balancer needs, for " + list +
                    ": set spec.allocateLoadBalancerNodePorts to true, or a nodePort for each")
      .with_reason("NoNodePorts");
}

}  // namespace ccm

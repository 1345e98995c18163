#include "health_check.hpp"

#include <utility>
#include <vector>

namespace ccm::digitalocean {
namespace {

int64_t threshold(const Annotations& annotations, std::string_view name, int64_t fallback,
                  const std::string& what) {
  return annotations.integer(
      name, fallback,
      "failed to parse health check " + what + " annotation " + go_quoted(name) + ": ");
}

int32_t node_port_of(const ServicePort& port) {
  if (port.node_port != 0) return port.node_port;
  refuse("the health check of " + std::string(annotation::kOverrideHealthCheck) +
         " goes to node ports, and port " + std::to_string(port.port) +
         " has none: set spec.allocateLoadBalancerNodePorts to true");
}

// DO-198, DO-199: a port of the Service, checked at its node port.
int32_t override_port(const LoadBalancerService& service, const Annotations& annotations) {
  if (const auto value = annotations.find(annotation::kHealthcheckPort)) {
    std::vector<int64_t> named;
    try {
      named = annotations.ports(annotation::kHealthcheckPort);
    } catch (const SpecError& error) {
      refuse("failed to get health check port: " + error.status.message());
    }
    if (named.size() > 1) {
      std::string list;
      for (const int64_t port : named) list += (list.empty() ? "" : " ") + std::to_string(port);
      refuse("annotation " + std::string(annotation::kHealthcheckPort) +
             " only supports a single port, but found multiple: [" + list + "]");
    }
    for (const ServicePort& port : service.ports) {
      if (port.port != named.front()) continue;
      if (port.protocol == "UDP") {
        refuse("health check port: " + std::to_string(port.port) + ", cannot be of protocol type " +
               "UDP");
      }
      return node_port_of(port);
    }
    refuse("specified health check port " + std::to_string(named.front()) +
           " does not exist on service " + service.namespace_name + "/" + service.name);
  }
  for (const ServicePort& port : service.ports) {
    if (port.protocol == "TCP") return node_port_of(port);
  }
  refuse("no health check port of protocol TCP found");
}

std::string override_protocol(const Annotations& annotations, const std::string& path) {
  const std::string_view value = annotations.text(annotation::kHealthcheckProtocol);
  if (value.empty()) return path.empty() ? "tcp" : "http";
  for (const char* known : {"tcp", "http", "https"}) {
    if (value == known) return std::string(value);
  }
  refuse("invalid protocol " + go_quoted(value) + " specified in annotation " +
         go_quoted(annotation::kHealthcheckProtocol));
}

}  // namespace

HealthCheck health_check(const LoadBalancerService& service, const Annotations& annotations) {
  HealthCheck check;
  if (annotations.has(annotation::kOverrideHealthCheck)) {  // DO-160: presence counts
    check.path = annotations.text(annotation::kHealthcheckPath);
    check.protocol = override_protocol(annotations, check.path);
    check.port = override_port(service, annotations);
  } else {
    const bool local = service.local_traffic && service.health_check_node_port > 0;
    check.protocol = "http";
    check.port = local ? service.health_check_node_port : kKubeProxyHealthPort;
    check.path = "/healthz";
    check.proxy_protocol = false;  // kube-proxy reads no PROXY header (DO-197)
  }
  check.check_interval_seconds =
      threshold(annotations, annotation::kHealthcheckCheckIntervalSeconds, 3, "interval");
  check.response_timeout_seconds =
      threshold(annotations, annotation::kHealthcheckResponseTimeoutSeconds, 5, "response timeout");
  check.unhealthy_threshold =
      threshold(annotations, annotation::kHealthcheckUnhealthyThreshold, 3, "unhealthy threshold");
  check.healthy_threshold =
      threshold(annotations, annotation::kHealthcheckHealthyThreshold, 5, "healthy threshold");
  return check;
}

}  // namespace ccm::digitalocean

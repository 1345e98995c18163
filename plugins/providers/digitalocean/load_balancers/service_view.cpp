#include "service_view.hpp"

#include "digitalocean/load_balancers/annotations.hpp"

namespace ccm::digitalocean {

std::vector<std::string> service_view_fields() {
  return {"/metadata/creationTimestamp",
          "/metadata/annotations",
          "/spec/type",
          "/spec/loadBalancerClass",
          "/spec/loadBalancerIP",
          "/spec/ports",
          "/spec/loadBalancerSourceRanges",
          "/spec/externalTrafficPolicy",
          "/spec/healthCheckNodePort",
          "/status/loadBalancer"};
}

LoadBalancerService service_view(const Object& object) {
  LoadBalancerService service;
  service.name = object.name();
  service.namespace_name = object.namespace_name();
  service.uid = object.uid();
  service.id = read_annotations(object).text(annotation::kLoadBalancerId);
  service.requested_ip = object.text("/spec/loadBalancerIP");
  service.local_traffic = object.text("/spec/externalTrafficPolicy") == "Local";
  service.health_check_node_port =
      static_cast<int32_t>(object.at("/spec/healthCheckNodePort").integer().value_or(0));
  object.at("/spec/ports").each([&](std::string_view, const Value& value) {
    ServicePort& port = service.ports.emplace_back();
    port.protocol = value.text("/protocol");
    if (port.protocol.empty()) port.protocol = "TCP";
    port.port = static_cast<int32_t>(value.at("/port").integer().value_or(0));
    port.node_port = static_cast<int32_t>(value.at("/nodePort").integer().value_or(0));
  });
  service.object = object;
  return service;
}

}  // namespace ccm::digitalocean

#include "predicates.hpp"

namespace ccm::service {

bool wants_load_balancer(const ServiceState& service, const ClassTable& classes) {
  return service.load_balancer && classes.find(service.class_name) != nullptr;
}

bool needs_cleanup(const ServiceState& service) {
  return service.finalizer && (service.deleting || !service.load_balancer);
}

bool needs_update(const ServiceState& old, const ServiceState& now, const ClassTable& classes) {
  const bool wanted = wants_load_balancer(old, classes);
  const bool wants = wants_load_balancer(now, classes);
  if (!wanted && !wants) return false;
  if (wanted != wants) return true;
  return old.source_ranges != now.source_ranges || old.ports != now.ports ||
         old.session_affinity != now.session_affinity ||
         old.session_affinity_config != now.session_affinity_config ||
         old.requested_ip != now.requested_ip || old.external_ips != now.external_ips ||
         old.annotations != now.annotations || old.uid != now.uid ||
         old.traffic_policy != now.traffic_policy ||
         old.health_check_node_port != now.health_check_node_port ||
         old.ip_families.size() != now.ip_families.size();
}

}  // namespace ccm::service

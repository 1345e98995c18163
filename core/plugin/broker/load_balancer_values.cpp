#include "plugin/broker/load_balancer_values.hpp"

#include "plugin/bounded.hpp"
#include "plugin/broker/abi_structs.hpp"

#include <utility>

namespace ccm::plugin {

namespace {

Status malformed(const char* what) {
  return Status(Code::internal, std::string("the provider completed with a malformed ") + what);
}

bool sound_service(const ccm_service& service) {
  return sound_list(service.ports, service.port_count) &&
         sound_list(service.source_ranges, service.source_range_count) &&
         sound_list(service.ip_families, service.ip_family_count) &&
         sound_list(service.parameters, service.parameter_count);
}

void repair_texts(LoadBalancer& balancer) {
  repair(balancer.name);
  repair(balancer.difference);
  for (Ingress& ingress : balancer.ingress) {
    repair(ingress.ip);
    repair(ingress.hostname);
    repair(ingress.ip_mode);
    for (IngressPort& port : ingress.ports) {
      repair(port.protocol);
      repair(port.error);
    }
  }
  for (Label& annotation : balancer.annotations) {
    repair(annotation.key);
    repair(annotation.value);
  }
}

}  // namespace

Result<LoadBalancerRequest> read_request(const ccm_service* service,
                                         const ccm_backend* const* backends, std::size_t count) {
  if (service == nullptr) return Status(Code::invalid_argument, "no Service was given");
  const ccm_service known = whole(*service);
  const WholeList<ccm_backend> list(backends, count, kThingLimit);
  bool sound = sound_service(known) && list.sound();
  for (const ccm_backend& backend : list.items()) {
    sound = sound && sound_list(backend.addresses, backend.address_count);
  }
  if (!sound) return Status(Code::invalid_argument, "a Service with malformed lists was given");
  LoadBalancerRequest request;
  request.service = detail::service_from_c(kept_objects(), known);
  request.backends = detail::backends_from_c(kept_objects(), list.data(), list.size());
  if (request.service.uid.empty()) {
    return Status(Code::invalid_argument, "a Service without a UID was given");
  }
  return request;
}

Result<LoadBalancer> copy_load_balancer(const void* result) {
  if (result == nullptr) return malformed("load balancer");
  const ccm_load_balancer raw = whole(*static_cast<const ccm_load_balancer*>(result));
  const WholeList<ccm_ingress> ingress(raw.ingress, raw.ingress_count, kListLimit);
  // A struct that ends before the id says nothing, least of all that there is none.
  bool sound = raw.size >= offsetof(ccm_load_balancer, name) && ingress.sound() &&
               sound_list(raw.annotations, raw.annotation_count) &&
               raw.state >= CCM_LOAD_BALANCER_ABSENT && raw.state <= CCM_LOAD_BALANCER_FOREIGN &&
               is_utf8(view(raw.id));
  for (const ccm_ingress& one : ingress.items()) {
    sound = sound && sound_list(one.ports, one.port_count);
  }
  if (!sound) return malformed("load balancer");
  ccm_load_balancer known = raw;
  known.ingress = ingress.data();
  known.retry_after_ms = bounded(raw.retry_after_ms).count();
  LoadBalancer balancer = detail::load_balancer_from_c(known);
  repair_texts(balancer);
  return balancer;
}

Result<std::string> copy_name(const void* result) {
  if (result == nullptr) return malformed("name");
  return utf8_text(view(*static_cast<const ccm_str*>(result)));
}

Result<LoadBalancerLimits> copy_load_balancer_limits(const void* result) {
  if (result == nullptr) return malformed("answer on limits");
  LoadBalancerLimits limits = detail::load_balancer_limits_from_c(
      whole(*static_cast<const ccm_load_balancer_limits*>(result)));
  repair(limits.id_annotation);
  return limits;
}

}  // namespace ccm::plugin

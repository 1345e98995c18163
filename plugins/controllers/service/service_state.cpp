#include "service_state.hpp"

#include "names.hpp"

#include <ccm/json_writer.hpp>

namespace ccm::service {
namespace {

std::vector<std::string> texts(const Value& array) {
  std::vector<std::string> all;
  array.each([&](std::string_view, const Value& element) {
    all.emplace_back(element.text().value_or(std::string_view()));
  });
  return all;
}

int32_t number(const Value& value) { return static_cast<int32_t>(value.integer().value_or(0)); }

PortState read_port(const Value& value) {
  PortState state;
  state.port.name = value.text("/name");
  state.port.protocol = value.text("/protocol");
  if (state.port.protocol.empty()) state.port.protocol = "TCP";
  state.port.app_protocol = value.text("/appProtocol");
  state.port.port = number(value.at("/port"));
  state.port.node_port = number(value.at("/nodePort"));
  state.target_port = value.text("/targetPort");
  return state;
}

Ingress read_ingress(const Value& value) {
  Ingress ingress;
  ingress.ip = value.text("/ip");
  ingress.hostname = value.text("/hostname");
  ingress.ip_mode = value.text("/ipMode");
  value.at("/ports").each([&](std::string_view, const Value& port) {
    ingress.ports.push_back({std::string(port.text("/protocol")), std::string(port.text("/error")),
                             number(port.at("/port"))});
  });
  return ingress;
}

void read_conditions(const Object& service, ServiceState& state) {
  service.at("/status/conditions").each([&](std::string_view, const Value& value) {
    const std::string_view type = value.text("/type");
    if (type != kReadyCondition && type != kPortsErrorCondition) return;
    state.conditions.push_back(
        {std::string(type), value.text("/status") == "True", std::string(value.text("/reason")),
         std::string(value.text("/message")), std::string(value.text("/lastTransitionTime"))});
  });
}

void read_spec(const Object& service, ServiceState& state) {
  state.load_balancer = service.text("/spec/type") == "LoadBalancer";
  if (const auto name = service.at("/spec/loadBalancerClass").text()) state.class_name = *name;
  service.at("/spec/ports").each([&](std::string_view, const Value& port) {
    state.ports.push_back(read_port(port));
  });
  const Value ranges = service.at("/spec/loadBalancerSourceRanges");
  if (ranges.kind() == ValueKind::array) state.source_ranges = texts(ranges);
  state.session_affinity = service.text("/spec/sessionAffinity");
  const Value affinity = service.at("/spec/sessionAffinityConfig");
  if (affinity.exists()) state.session_affinity_config = JsonWriter().value(affinity).str();
  state.affinity_timeout = number(affinity.at("/clientIP/timeoutSeconds"));
  state.requested_ip = service.text("/spec/loadBalancerIP");
  state.external_ips = texts(service.at("/spec/externalIPs"));
  state.traffic_policy = service.text("/spec/externalTrafficPolicy");
  state.health_check_node_port = number(service.at("/spec/healthCheckNodePort"));
  state.ip_families = texts(service.at("/spec/ipFamilies"));
  state.node_ports = service.at("/spec/allocateLoadBalancerNodePorts").boolean().value_or(true);
}

}  // namespace

std::string_view ServiceState::annotation(std::string_view key) const {
  const auto place = annotations.find(key);
  return place != annotations.end() ? std::string_view(place->second) : std::string_view();
}

const Condition* ServiceState::condition(std::string_view type) const {
  for (const Condition& condition : conditions) {
    if (condition.type == type) return &condition;
  }
  return nullptr;
}

const std::vector<std::string>& service_fields() {
  static const std::vector<std::string> fields{"/metadata/creationTimestamp",
                                               "/metadata/annotations",
                                               "/metadata/finalizers",
                                               "/metadata/deletionTimestamp",
                                               "/spec/type",
                                               "/spec/loadBalancerClass",
                                               "/spec/ports",
                                               "/spec/loadBalancerSourceRanges",
                                               "/spec/sessionAffinity",
                                               "/spec/sessionAffinityConfig",
                                               "/spec/loadBalancerIP",
                                               "/spec/externalIPs",
                                               "/spec/externalTrafficPolicy",
                                               "/spec/healthCheckNodePort",
                                               "/spec/ipFamilies",
                                               "/spec/allocateLoadBalancerNodePorts",
                                               "/status/loadBalancer",
                                               "/status/conditions"};
  return fields;
}

ServiceState read_service(const Object& service) {
  ServiceState state;
  state.name = service.name();
  state.namespace_name = service.namespace_name();
  state.uid = service.uid();
  state.version = service.version();
  state.deleting = !service.text("/metadata/deletionTimestamp").empty();
  service.at("/metadata/finalizers").each([&](std::string_view, const Value& finalizer) {
    const std::string_view name = finalizer.text().value_or(std::string_view());
    if (name == kFinalizer) {
      state.finalizer = true;
    } else {
      state.other_finalizers.emplace_back(name);
    }
  });
  service.at("/metadata/annotations").each([&](std::string_view key, const Value& value) {
    if (key == kLastApplied) return;
    state.annotations.emplace(key, value.text().value_or(std::string_view()));
  });
  read_spec(service, state);
  service.at("/status/loadBalancer/ingress").each([&](std::string_view, const Value& ingress) {
    state.ingress.push_back(read_ingress(ingress));
  });
  read_conditions(service, state);
  return state;
}

Object cached_service(const Kube& kube, std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos) return {};
  return kube.cached(kServices, key.substr(slash + 1), key.substr(0, slash));
}

}  // namespace ccm::service

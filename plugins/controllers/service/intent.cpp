#include "intent.hpp"

#include "hash.hpp"
#include "names.hpp"
#include "source_ranges.hpp"

#include <algorithm>
#include <utility>

namespace ccm::service {
namespace {

constexpr size_t kNameLength = 32;

// Written by this controller, and unchanged since.
bool is_own(const std::string& key, const std::string& value, const std::vector<Label>& own) {
  return std::find(own.begin(), own.end(), Label{key, value}) != own.end();
}

}  // namespace

std::string default_name(std::string_view uid) {
  std::string name = "a";
  for (const char c : uid) {
    if (c != '-') name += c;
  }
  return name.substr(0, kNameLength);
}

LoadBalancerService make_removal(const Object& object, const ServiceState& service,
                                 const IntentOptions& options) {
  LoadBalancerService intent;
  intent.name = service.name;
  intent.namespace_name = service.namespace_name;
  intent.uid = service.uid;
  intent.cluster_name = options.cluster_name;
  intent.id = service.annotation(options.id_annotation);
  if (intent.id.empty()) intent.id = options.known_id;
  intent.default_name = default_name(service.uid);
  intent.class_name = service.class_name.value_or(std::string());
  intent.requested_ip = service.requested_ip;
  for (const PortState& port : service.ports) intent.ports.push_back(port.port);
  intent.ip_families = service.ip_families;
  intent.object = object;
  return intent;
}

Result<LoadBalancerService> make_intent(const Object& object, const ServiceState& service,
                                        const LoadBalancerClass& balancer_class,
                                        const IntentOptions& options) {
  LoadBalancerService intent = make_removal(object, service, options);
  // Once it is taken over, its owner mark counts again.
  const std::string_view adopt = service.annotation(kAdoptAnnotation);
  if (adopt != intent.id) intent.adopt_id = adopt;
  auto ranges = source_ranges(service);
  if (!ranges.ok()) return ranges.status();
  intent.source_ranges = *std::move(ranges);
  intent.parameters = balancer_class.parameters;
  intent.local_traffic = service.traffic_policy == "Local";
  intent.client_ip_affinity = service.session_affinity == "ClientIP";
  intent.node_ports = service.node_ports;
  if (intent.local_traffic) intent.health_check_node_port = service.health_check_node_port;
  if (intent.client_ip_affinity) {
    intent.affinity_timeout = std::chrono::seconds(service.affinity_timeout);
  }
  return intent;
}

uint64_t intent_hash(const LoadBalancerService& intent, const ServiceState& service,
                     const IntentOptions& options, const std::vector<Label>& own) {
  Hash hash;
  hash.add(intent.uid).add(intent.class_name).add(intent.requested_ip).add(intent.adopt_id);
  for (const PortState& state : service.ports) {
    const ServicePort& port = state.port;
    hash.add(port.name).add(port.protocol).add(port.app_protocol).add(state.target_port);
    hash.add(port.port).add(port.node_port);
  }
  hash.add("ranges");
  for (const std::string& range : intent.source_ranges) hash.add(range);
  hash.add("families");
  for (const std::string& family : intent.ip_families) hash.add(family);
  hash.add("external");
  for (const std::string& ip : service.external_ips) hash.add(ip);
  hash.add("parameters");
  for (const Label& parameter : intent.parameters) hash.add(parameter.key).add(parameter.value);
  hash.add(intent.local_traffic ? 1 : 0).add(intent.client_ip_affinity ? 1 : 0);
  hash.add(intent.node_ports ? 1 : 0).add(intent.health_check_node_port);
  hash.add(service.session_affinity_config);
  for (const auto& [key, value] : service.annotations) {
    if (key == kRetainAnnotation || key == kAdoptAnnotation) continue;
    if (key == options.id_annotation && value == options.known_id) continue;
    if (!is_own(key, value, own)) hash.add(key).add(value);
  }
  return hash.value();
}

}  // namespace ccm::service

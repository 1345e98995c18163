// The fields of a Service that this controller reads, as values. Any thread.
#pragma once

#include <ccm/kube.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::service {

// One of .status.conditions; `transition` is its lastTransitionTime, unparsed.
struct Condition {
  std::string type;
  bool holds = false;
  std::string reason;
  std::string message;
  std::string transition;
};

// A port and the fields that ServicePort lacks, for the comparison (SVC-13c).
struct PortState {
  ServicePort port;
  std::string target_port;
  bool operator==(const PortState&) const = default;
};

struct ServiceState {
  std::string name;
  std::string namespace_name;
  std::string uid;
  uint64_t version = 0;  // resourceVersion; 0 when it is no number
  bool deleting = false;
  bool finalizer = false;  // ours is on it
  std::vector<std::string> other_finalizers;
  std::map<std::string, std::string, std::less<>> annotations;

  bool load_balancer = false;             // spec.type is LoadBalancer
  std::optional<std::string> class_name;  // spec.loadBalancerClass
  std::vector<PortState> ports;
  // Nothing and an empty list differ (SVC-13b).
  std::optional<std::vector<std::string>> source_ranges;
  std::string session_affinity;
  std::string session_affinity_config;  // as JSON
  std::string requested_ip;             // spec.loadBalancerIP
  std::vector<std::string> external_ips;
  std::string traffic_policy;  // spec.externalTrafficPolicy
  int32_t health_check_node_port = 0;
  std::vector<std::string> ip_families;
  bool node_ports = true;  // spec.allocateLoadBalancerNodePorts
  int32_t affinity_timeout = 0;

  std::vector<Ingress> ingress;       // status.loadBalancer
  std::vector<Condition> conditions;  // this controller's

  // "namespace/name".
  [[nodiscard]] std::string key() const { return namespace_name + "/" + name; }
  // An annotation's value; empty = absent.
  [[nodiscard]] std::string_view annotation(std::string_view name) const;
  [[nodiscard]] const Condition* condition(std::string_view type) const;
};

// JSON pointers of all fields that read_service() reads.
const std::vector<std::string>& service_fields();

ServiceState read_service(const Object& service);

// The Service "namespace/name" as the watch shows it; empty when it shows none.
Object cached_service(const Kube& kube, std::string_view key);

}  // namespace ccm::service

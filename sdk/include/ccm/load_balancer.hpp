// A Service that wants a load balancer, its backends, and the load balancer, as values.
// ccm/abi/loadbalancers.h says what each field means and how a provider has to behave.
#pragma once

#include <ccm/abi/loadbalancers.h>
#include <ccm/detail/c_arrays.hpp>
#include <ccm/instances.hpp>
#include <ccm/load_balancer_backends.hpp>
#include <ccm/object.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ccm {

enum class LoadBalancerState : int32_t {
  unknown = CCM_LOAD_BALANCER_UNKNOWN,  // conclude nothing; ask again later
  absent = CCM_LOAD_BALANCER_ABSENT,    // the cloud has none for this Service, for certain
  pending = CCM_LOAD_BALANCER_PENDING,  // exists or is being changed; not ready to serve
  active = CCM_LOAD_BALANCER_ACTIVE,    // exists and serves
  shared = CCM_LOAD_BALANCER_SHARED,    // as active, and other Services use it too
  foreign = CCM_LOAD_BALANCER_FOREIGN,  // the recorded id leads to somebody else's
};

struct ServicePort {
  std::string name;
  std::string protocol;  // TCP, UDP, SCTP
  std::string app_protocol;
  int32_t port = 0;
  int32_t node_port = 0;  // 0 = none was allocated
  bool operator==(const ServicePort&) const = default;
};

// The Service that wants a load balancer, read and validated by the controller.
struct LoadBalancerService {
  std::string name;
  std::string namespace_name;
  std::string uid;
  std::string cluster_name;
  std::string id;            // as recorded on the Service; empty = none yet
  std::string adopt_id;      // to be taken over by the user's word; empty = none
  std::string default_name;  // "a" and the UID without dashes, 32 characters
  std::string class_name;
  std::string requested_ip;
  std::vector<ServicePort> ports;
  std::vector<std::string> source_ranges;  // normalised, sorted; empty = everybody
  std::vector<std::string> ip_families;    // IPv4, IPv6
  std::vector<Label> parameters;           // of the load balancer class
  bool local_traffic = false;
  bool client_ip_affinity = false;
  bool node_ports = true;
  int32_t health_check_node_port = 0;
  std::chrono::seconds affinity_timeout{0};
  Object object;  // the Service itself, for annotations
};

struct IngressPort {
  std::string protocol;
  std::string error;
  int32_t port = 0;
  bool operator==(const IngressPort&) const = default;
};

struct Ingress {
  std::string ip;
  std::string hostname;
  std::string ip_mode;  // VIP, Proxy; empty = VIP
  std::vector<IngressPort> ports;
  bool operator==(const Ingress&) const = default;
};

struct LoadBalancer {
  LoadBalancerState state = LoadBalancerState::absent;
  std::chrono::milliseconds retry_after{0};
  std::string id;
  std::string name;
  std::string difference;  // observe: from what ensure would make; else: what was changed
  std::vector<Ingress> ingress;
  std::vector<Label> annotations;        // for the Service, besides the id
  std::vector<std::string> node_labels;  // keys of the labels by which backends were chosen
  std::string no_members;  // why none of the backends can be a member; empty = some can
  bool operator==(const LoadBalancer&) const = default;
};

struct LoadBalancerLimits {
  int64_t load_balancers = 0;            // of the account; 0 = not known
  int64_t backends = 0;                  // of one load balancer; 0 = not known
  std::string id_annotation;             // empty = kLoadBalancerIdAnnotation
  std::chrono::milliseconds timeout{0};  // of one operation; 0 = 60 s
  int64_t parallel = 0;                  // operations at once; 0 = any number
};

inline constexpr std::string_view kLoadBalancerIdAnnotation =
    "cloud-controller-manager/load-balancer-id";

namespace detail {

// The C form of a Service. OWNERSHIP: borrows from the Service that it was made of.
class LoadBalancerServiceC {
 public:
  explicit LoadBalancerServiceC(const LoadBalancerService& service)
      : source_ranges_(strings_to_c(service.source_ranges)),
        ip_families_(strings_to_c(service.ip_families)),
        parameters_(key_values_to_c(service.parameters)) {
    ports_.reserve(service.ports.size());
    for (const ServicePort& port : service.ports) {
      ccm_service_port& raw = ports_.emplace_back(sized<ccm_service_port>());
      raw.name = c_str(port.name);
      raw.protocol = c_str(port.protocol);
      raw.app_protocol = c_str(port.app_protocol);
      raw.port = port.port;
      raw.node_port = port.node_port;
    }
    port_pointers_ = pointers_to(ports_);
    raw_.flags = bit_if(service.local_traffic, CCM_SERVICE_LOCAL_TRAFFIC) |
                 bit_if(service.client_ip_affinity, CCM_SERVICE_CLIENT_IP_AFFINITY) |
                 bit_if(!service.node_ports, CCM_SERVICE_NO_NODE_PORTS);
    raw_.name = c_str(service.name);
    raw_.namespace_name = c_str(service.namespace_name);
    raw_.uid = c_str(service.uid);
    raw_.cluster_name = c_str(service.cluster_name);
    raw_.id = c_str(service.id);
    raw_.adopt_id = c_str(service.adopt_id);
    raw_.default_name = c_str(service.default_name);
    raw_.class_name = c_str(service.class_name);
    raw_.requested_ip = c_str(service.requested_ip);
    raw_.ports = port_pointers_.data();
    raw_.port_count = port_pointers_.size();
    raw_.source_ranges = source_ranges_.data();
    raw_.source_range_count = source_ranges_.size();
    raw_.ip_families = ip_families_.data();
    raw_.ip_family_count = ip_families_.size();
    raw_.parameters = parameters_.data();
    raw_.parameter_count = parameters_.size();
    raw_.health_check_node_port = service.health_check_node_port;
    raw_.affinity_timeout_seconds = static_cast<int32_t>(service.affinity_timeout.count());
    raw_.object = service.object.get();
  }
  explicit LoadBalancerServiceC(const LoadBalancerService&&) = delete;  // it would be gone
  LoadBalancerServiceC(const LoadBalancerServiceC&) = delete;
  LoadBalancerServiceC& operator=(const LoadBalancerServiceC&) = delete;

  [[nodiscard]] const ccm_service* get() const { return &raw_; }

 private:
  std::vector<ccm_service_port> ports_;
  std::vector<const ccm_service_port*> port_pointers_;
  std::vector<ccm_str> source_ranges_;
  std::vector<ccm_str> ip_families_;
  std::vector<ccm_key_value> parameters_;
  ccm_service raw_ = sized<ccm_service>();
};

// The request of an operation on a load balancer. OWNERSHIP: borrows from both.
inline ccm_load_balancer_request load_balancer_request(const LoadBalancerServiceC& service,
                                                       const Backends& backends = {}) {
  auto request = sized<ccm_load_balancer_request>();
  request.service = service.get();
  request.backends = backends.get();
  request.backend_count = backends.size();
  return request;
}

template <>
inline constexpr uint32_t kKnownFlags<ccm_service> =
    CCM_SERVICE_LOCAL_TRAFFIC | CCM_SERVICE_CLIENT_IP_AFFINITY | CCM_SERVICE_NO_NODE_PORTS;
template <>
struct Inner<ccm_service> {
  static bool understood(const ccm_service& service) {
    return all_understood(service.ports, service.port_count);
  }
};
template <>
struct Inner<ccm_load_balancer_request> {
  static bool understood(const ccm_load_balancer_request& request) {
    return detail::understood(*request.service) &&
           all_understood(request.backends, request.backend_count);
  }
};

// The C form of a load balancer. OWNERSHIP: borrows from the one that it was made of.
class LoadBalancerC {
 public:
  explicit LoadBalancerC(const LoadBalancer& balancer)
      : annotations_(key_values_to_c(balancer.annotations)),
        node_labels_(strings_to_c(balancer.node_labels)) {
    ports_.reserve(balancer.ingress.size());
    port_pointers_.reserve(balancer.ingress.size());
    ingress_.reserve(balancer.ingress.size());
    for (const Ingress& ingress : balancer.ingress) add(ingress);
    pointers_ = pointers_to(ingress_);
    raw_.state = static_cast<int32_t>(balancer.state);
    raw_.retry_after_ms = balancer.retry_after.count();
    raw_.id = c_str(balancer.id);
    raw_.name = c_str(balancer.name);
    raw_.difference = c_str(balancer.difference);
    raw_.ingress = pointers_.data();
    raw_.ingress_count = pointers_.size();
    raw_.annotations = annotations_.data();
    raw_.annotation_count = annotations_.size();
    raw_.node_labels = node_labels_.data();
    raw_.node_label_count = node_labels_.size();
    raw_.no_members = c_str(balancer.no_members);
  }
  explicit LoadBalancerC(const LoadBalancer&&) = delete;  // it would be gone
  LoadBalancerC(const LoadBalancerC&) = delete;
  LoadBalancerC& operator=(const LoadBalancerC&) = delete;

  [[nodiscard]] const ccm_load_balancer* get() const { return &raw_; }

 private:
  void add(const Ingress& ingress) {
    std::vector<ccm_ingress_port>& ports = ports_.emplace_back();
    ports.reserve(ingress.ports.size());
    for (const IngressPort& port : ingress.ports) {
      ccm_ingress_port& raw = ports.emplace_back(sized<ccm_ingress_port>());
      raw.port = port.port;
      raw.protocol = c_str(port.protocol);
      raw.error = c_str(port.error);
    }
    const auto& pointers = port_pointers_.emplace_back(pointers_to(ports));
    ccm_ingress& raw = ingress_.emplace_back(sized<ccm_ingress>());
    raw.ip = c_str(ingress.ip);
    raw.hostname = c_str(ingress.hostname);
    raw.ip_mode = c_str(ingress.ip_mode);
    raw.ports = pointers.data();
    raw.port_count = pointers.size();
  }

  std::vector<std::vector<ccm_ingress_port>> ports_;
  std::vector<std::vector<const ccm_ingress_port*>> port_pointers_;
  std::vector<ccm_ingress> ingress_;
  std::vector<const ccm_ingress*> pointers_;
  std::vector<ccm_key_value> annotations_;
  std::vector<ccm_str> node_labels_;
  ccm_load_balancer raw_ = sized<ccm_load_balancer>();
};

// `objects` keeps the objects of the request alive; the host itself reads with an empty one.
inline LoadBalancerService service_from_c(ObjectHost objects, const ccm_service& given) {
  const ccm_service raw = known(&given);
  LoadBalancerService service;
  service.name = view(raw.name);
  service.namespace_name = view(raw.namespace_name);
  service.uid = view(raw.uid);
  service.cluster_name = view(raw.cluster_name);
  service.id = view(raw.id);
  service.adopt_id = view(raw.adopt_id);
  service.default_name = view(raw.default_name);
  service.class_name = view(raw.class_name);
  service.requested_ip = view(raw.requested_ip);
  for (size_t i = 0; i < raw.port_count; ++i) {
    const ccm_service_port port = known(raw.ports[i]);
    service.ports.push_back({std::string(view(port.name)), std::string(view(port.protocol)),
                             std::string(view(port.app_protocol)), port.port, port.node_port});
  }
  service.source_ranges = strings_from_c(raw.source_ranges, raw.source_range_count);
  service.ip_families = strings_from_c(raw.ip_families, raw.ip_family_count);
  service.parameters = key_values_from_c(raw.parameters, raw.parameter_count);
  service.local_traffic = (raw.flags & CCM_SERVICE_LOCAL_TRAFFIC) != 0;
  service.client_ip_affinity = (raw.flags & CCM_SERVICE_CLIENT_IP_AFFINITY) != 0;
  service.node_ports = (raw.flags & CCM_SERVICE_NO_NODE_PORTS) == 0;
  service.health_check_node_port = raw.health_check_node_port;
  service.affinity_timeout = std::chrono::seconds(raw.affinity_timeout_seconds);
  service.object = Object(objects, raw.object);
  return service;
}

// However much of it there is. A state that this side does not know is `unknown`.
inline LoadBalancer load_balancer_from_c(const ccm_load_balancer& given) {
  const ccm_load_balancer raw = known(&given);
  LoadBalancer balancer;
  balancer.state = raw.state >= CCM_LOAD_BALANCER_ABSENT && raw.state <= CCM_LOAD_BALANCER_FOREIGN
                       ? static_cast<LoadBalancerState>(raw.state)
                       : LoadBalancerState::unknown;
  balancer.retry_after = std::chrono::milliseconds(raw.retry_after_ms);
  balancer.id = view(raw.id);
  balancer.name = view(raw.name);
  balancer.difference = view(raw.difference);
  for (size_t i = 0; i < raw.ingress_count; ++i) {
    const ccm_ingress from = known(raw.ingress[i]);
    Ingress& ingress = balancer.ingress.emplace_back();
    ingress.ip = view(from.ip);
    ingress.hostname = view(from.hostname);
    ingress.ip_mode = view(from.ip_mode);
    for (size_t j = 0; j < from.port_count; ++j) {
      const ccm_ingress_port port = known(from.ports[j]);
      ingress.ports.push_back(
          {std::string(view(port.protocol)), std::string(view(port.error)), port.port});
    }
  }
  balancer.annotations = key_values_from_c(raw.annotations, raw.annotation_count);
  balancer.node_labels = strings_from_c(raw.node_labels, raw.node_label_count);
  balancer.no_members = view(raw.no_members);
  return balancer;
}

inline LoadBalancerLimits load_balancer_limits_from_c(const ccm_load_balancer_limits& given) {
  const ccm_load_balancer_limits raw = known(&given);
  return {raw.load_balancers, raw.backends, std::string(view(raw.id_annotation)),
          std::chrono::milliseconds(raw.timeout_ms), raw.parallel};
}
// OWNERSHIP: borrows from `limits`.
inline ccm_load_balancer_limits limits_to_c(const LoadBalancerLimits& limits) {
  ccm_load_balancer_limits raw = sized<ccm_load_balancer_limits>();
  raw.load_balancers = limits.load_balancers;
  raw.backends = limits.backends;
  raw.id_annotation = c_str(limits.id_annotation);
  raw.timeout_ms = limits.timeout.count();
  raw.parallel = limits.parallel;
  return raw;
}

}  // namespace detail

}  // namespace ccm

// The choices for a Service's load balancer: annotations, its class, cloud.conf (OS-196..OS-251).
// Any thread.
#pragma once

#include "openstack/config/settings.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/notices.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::openstack {

struct Timeouts {  // in milliseconds
  int64_t client_data = 50'000;
  int64_t member_connect = 5'000;
  int64_t member_data = 50'000;
  int64_t tcp_inspect = 0;

  bool operator==(const Timeouts&) const = default;
};

// Where a floating IP comes from. `subnet_id`, else the subnets of the network that fit.
struct FloatingSource {
  std::string network_id;
  std::string subnet_id;
  std::string subnet_pattern;
  std::string subnet_tags;
};

struct MonitorOptions {
  bool enabled = false;
  bool refused = false;  // by annotation
  int64_t delay = 0;
  int64_t timeout = 0;
  int64_t max_retries = 0;
  int64_t max_retries_down = 0;
};

using NodeSelector = std::vector<std::pair<std::string, std::optional<std::string>>>;

struct ServiceOptions {
  bool internal = false;
  std::string network_id;
  std::string subnet_id;
  std::string port_id;
  std::string member_subnet_id;     // empty = that of the VIP
  bool member_subnet_said = false;  // by member-subnet-id itself, not by that of the VIP
  FloatingSource floating;
  bool keep_floating_ip = false;
  int64_t connection_limit = -1;
  std::string proxy_protocol;  // PROXY, PROXYV2; empty = none
  bool x_forwarded_for = false;
  std::string tls_container_ref;
  std::string method;
  bool method_asked = false;  // by annotation
  Timeouts timeouts;
  std::string flavor_id;
  std::string availability_zone;
  MonitorOptions monitor;
  NodeSelector node_selector;
  std::string hostname;
  std::string ingress_suffix;  // of a host name that stands for the address; empty = none

  std::vector<Problem> problems;  // annotations that are not followed
};

using LoadBalancerClasses = std::map<std::string, LoadBalancerClass>;

// Failure: invalid_spec, when the Service names a class that cloud.conf does not have, or asks for
// what excludes each other.
Result<ServiceOptions> read_service_options(const LoadBalancerService& service,
                                            const LoadBalancerSettings& settings,
                                            const LoadBalancerClasses& classes);

// "key=value,key" (OS-213, OS-416).
NodeSelector parse_node_selector(const std::string& text);

}  // namespace ccm::openstack

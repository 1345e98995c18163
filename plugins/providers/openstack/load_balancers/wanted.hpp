// The load balancer that a Service asks for (OS-217..OS-251, OS-264, OS-274, OS-279). Any thread.
#pragma once

#include "openstack/config/settings.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccm::openstack {

struct Member {
  std::string name;
  std::string address;
  std::string subnet_id;
  int32_t port = 0;
  int32_t monitor_port = 0;  // 0 = the member's own

  friend auto operator<=>(const Member&, const Member&) = default;
};

struct Monitor {
  std::string type;  // TCP, UDP-CONNECT, HTTP
  int64_t delay = 0;
  int64_t timeout = 0;
  int64_t max_retries = 0;
  int64_t max_retries_down = 0;

  bool operator==(const Monitor&) const = default;
};

// A port of the Service: a listener with its pool.
struct WantedPort {
  std::string protocol;  // TCP, UDP, SCTP
  int32_t port = 0;
  std::vector<std::string> allowed_cidrs;  // sorted
  std::string method;
  bool source_ip = false;       // a client stays with a member
  std::vector<Member> members;  // sorted
  std::optional<Monitor> monitor;
};

struct WantedLoadBalancer {
  std::string name;
  std::string description;
  std::string provider;
  std::string mark;  // the tag that says whose it is
  std::string subnet_id;
  std::string network_id;
  std::string address;  // of the VIP, if one is asked for
  std::vector<WantedPort> ports;
  bool internal = false;
};

// "kube_service_CLUSTER_NAMESPACE_NAME", 255 bytes at most (OS-217).
std::string load_balancer_name(const LoadBalancerService& service);
// "ccm-service:UID".
std::string service_mark(const LoadBalancerService& service);
// The text by which a floating IP is known as the manager's (OS-221).
std::string floating_ip_description(const LoadBalancerService& service);

// The address at which a Node takes traffic (OS-237); empty = none.
std::string member_address(const Backend& backend, const std::string& family);

// `subnet_id`: of the VIP, and of members unless cloud.conf says otherwise. Failure: invalid_spec
// without ports.
Result<WantedLoadBalancer> wanted_load_balancer(const LoadBalancerService& service,
                                                const Backends& backends,
                                                const LoadBalancerSettings& settings,
                                                const std::string& subnet_id);

}  // namespace ccm::openstack

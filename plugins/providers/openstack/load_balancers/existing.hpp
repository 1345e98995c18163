// A load balancer of Octavia with its children, as it answers (OS-374..OS-382). Any thread.
#pragma once

#include "wanted.hpp"

#include <ccm/status.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

struct ExistingPool {
  std::string id;
  std::string protocol;
  std::string method;
  bool source_ip = false;
  std::string monitor_id;
  std::vector<Member> members;  // sorted
  std::optional<Monitor> monitor;
};

struct ExistingListener {
  std::string id;
  std::string protocol;
  int32_t port = 0;
  std::string pool_id;
  std::vector<std::string> allowed_cidrs;  // sorted
};

struct ExistingLoadBalancer {
  std::string id;
  std::string name;
  std::string status;  // ACTIVE, ERROR, PENDING_...
  std::string vip_address;
  std::string vip_port_id;
  std::vector<std::string> tags;
  // Read only of one that is ACTIVE:
  std::vector<ExistingListener> listeners;
  std::vector<ExistingPool> pools;

  [[nodiscard]] bool pending() const { return status.starts_with("PENDING_"); }
};

// Failure: bad_answer().
Result<ExistingLoadBalancer> parse_load_balancer(std::string_view json_text);
Result<std::vector<ExistingLoadBalancer>> parse_load_balancers(std::string_view json_text);
Result<std::vector<ExistingListener>> parse_listeners(std::string_view json_text);
Result<std::vector<ExistingPool>> parse_pools(std::string_view json_text);
Result<std::vector<Member>> parse_members(std::string_view json_text);
Result<Monitor> parse_monitor(std::string_view json_text);

}  // namespace ccm::openstack

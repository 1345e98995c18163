// A load balancer of Octavia with its children, as it answers (OS-374..OS-382). Any thread.
#pragma once

#include "wanted.hpp"

#include <ccm/status.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

struct ExistingPool {
  std::string id;
  std::vector<std::string> balancer_ids;
  std::string name;
  std::string status;
  std::string protocol;
  std::string method;
  bool source_ip = false;
  std::string monitor_id;
  std::vector<Member> members;                    // sorted
  std::map<std::string, std::string> member_ids;  // by "ADDRESS PORT"
  std::set<std::string> failed_members;           // the same
  std::optional<Monitor> monitor;
  bool monitor_failed = false;

  [[nodiscard]] bool failed() const { return status == "ERROR"; }
};

struct ExistingListener {
  std::string id;
  std::vector<std::string> balancer_ids;
  std::string status;
  std::string protocol;
  int32_t port = 0;
  std::string pool_id;
  int64_t connection_limit = -1;
  Timeouts timeouts;
  std::vector<std::string> allowed_cidrs;  // sorted
  std::map<std::string, std::string> insert_headers;
  std::string tls_container_ref;
  std::vector<std::string> tags;  // sorted
  bool ours = false;              // set by ownership.hpp

  [[nodiscard]] bool failed() const { return status == "ERROR"; }
};

struct ExistingLoadBalancer {
  std::string id;
  std::string name;
  std::string status;  // ACTIVE, ERROR, PENDING_...
  std::string provider;
  std::string vip_address;
  std::vector<std::string> additional_addresses;  // of further VIPs on the same port
  std::string vip_port_id;
  std::string vip_subnet_id;
  std::string vip_network_id;
  std::vector<std::string> tags;  // sorted
  // Only after read_children():
  std::vector<ExistingListener> listeners;
  std::vector<ExistingPool> pools;

  [[nodiscard]] bool pending() const { return status.starts_with("PENDING_"); }
  // Whether the first of its VIPs is one of IPv6.
  [[nodiscard]] bool v6() const { return vip_address.find(':') != std::string::npos; }
  // The VIP of that family, "IPv4" or "IPv6"; empty = it has none.
  [[nodiscard]] std::string address_of(std::string_view family) const;
  [[nodiscard]] bool dual_stack() const;
  [[nodiscard]] bool tagged(const std::string& tag) const;
  [[nodiscard]] const ExistingPool* pool(const std::string& pool_id) const;
};

struct IdentifiedMember {
  std::string id;
  bool failed = false;
  Member member;
};
struct ExistingMembers {
  std::vector<Member> members;  // sorted
  std::map<std::string, std::string> ids;
  std::set<std::string> failed;
};
struct ExistingMonitor {
  Monitor monitor;
  bool failed = false;
};
// The key of a member's ID.
std::string member_key(const Member& member);

// One of a listing. They throw json::exception.
ExistingLoadBalancer read_load_balancer(const nlohmann::json& entry);
ExistingListener read_listener(const nlohmann::json& entry);
ExistingPool read_pool(const nlohmann::json& entry);
IdentifiedMember read_member(const nlohmann::json& entry);
ExistingMembers members_of(std::vector<IdentifiedMember> all);
// Failure: bad_answer().
Result<ExistingLoadBalancer> parse_load_balancer(std::string_view json_text);
Result<ExistingMonitor> parse_monitor(std::string_view json_text);

}  // namespace ccm::openstack

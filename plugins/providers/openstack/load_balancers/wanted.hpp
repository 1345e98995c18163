// The load balancer that a Service asks for (OS-217..OS-251, OS-264, OS-274, OS-279). Any thread.
#pragma once

#include "features.hpp"
#include "options.hpp"
#include "service_marks.hpp"

#include <ccm/cidr.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ccm::openstack {

struct Member {
  std::string name;
  std::string address;
  std::string subnet_id;  // cannot be changed, so it is not compared
  int32_t port = 0;
  int32_t monitor_port = 0;  // 0 = the member's own
  bool drained = false;      // weight 0; compared only where Nodes are drained

  friend bool operator==(const Member& one, const Member& other) {
    return one.name == other.name && one.address == other.address && one.port == other.port &&
           one.monitor_port == other.monitor_port;
  }
};
// By address, then port.
bool before(const Member& one, const Member& other);

struct Monitor {
  std::string type;  // TCP, UDP-CONNECT, SCTP, HTTP
  int64_t delay = 0;
  int64_t timeout = 0;
  int64_t max_retries = 0;
  int64_t max_retries_down = 0;

  bool operator==(const Monitor&) const = default;
};

// A port of the Service: a listener with its pool.
struct WantedPort {
  std::string protocol;  // of the listener: TCP, UDP, SCTP, HTTP, TERMINATED_HTTPS
  int32_t port = 0;
  int64_t connection_limit = -1;
  std::optional<Timeouts> timeouts;                       // nothing = not to be said
  std::optional<std::vector<std::string>> allowed_cidrs;  // sorted; nothing = not to be said
  std::string tls_container_ref;
  bool x_forwarded_for = false;
  std::string pool_protocol;
  std::string method;
  bool source_ip = false;       // a client stays with a member
  std::vector<Member> members;  // sorted
  std::optional<Monitor> monitor;
};

struct WantedLoadBalancer {
  std::string name;
  std::string description;
  std::string provider;
  std::string mark;          // the tag that says whose it is
  std::string cluster_mark;  // and the one that says which cluster's; empty = none
  std::string port_id;
  std::string subnet_id;
  std::string network_id;
  std::string second_subnet_id;  // of a VIP of the other family; empty = none
  std::string address;           // of the VIP, if one is asked for
  std::string flavor_id;
  std::string availability_zone;
  std::vector<WantedPort> ports;
  bool takeover = false;  // the tags of its former owner go
  bool serial = false;    // one member at a time, and nothing with the load balancer
  bool repair = false;    // parts that are in ERROR are written again
  bool drains = false;    // weights of members are compared and set

  // Wishes of the Service that this Octavia or its provider does not fulfil.
  std::vector<Problem> problems;
  // Why no Node can be a member, although there are some; then existing members stay.
  std::string no_members;
};

// The Service's first family: IPv4, IPv6; empty when it names none.
std::string family_of(const LoadBalancerService& service);
std::string other_family(const std::string& family);
// The address at which a Node takes traffic (OS-237); empty = none.
std::string member_address(const Backend& backend, const std::string& family);

// The choice among a Node's addresses: of the Service's families, not of that of the VIP.
struct MemberRule {
  std::vector<std::string> families;  // in the order of the Service
  std::optional<Cidr> subnet;         // an address on it goes before others
};
std::string member_address(const Backend& backend, const MemberRule& rule);
// "pool=edge,!x": as it is written.
std::string selector_text(const NodeSelector& selector);
// The keys of the labels by which Nodes are chosen, each once and sorted: at most 64, as many as an
// answer may have, and none that no label can have (317 bytes: a prefix of 253, "/", 63).
// The tenant writes the selector; what changes beyond these keys is seen by the audit.
std::vector<std::string> watched_labels(const NodeSelector& selector);
// Whether the Node has the labels (OS-213).
bool selected(const Backend& backend, const NodeSelector& selector);

// All that is known beside the Service.
struct BuildOptions {
  const ServiceOptions& options;
  const LoadBalancerSettings& settings;
  const Features& features;
  std::string vip_family;  // IPv4, IPv6
  MemberRule members;
  std::string member_subnet_id;  // may be empty
  bool dual_stack = false;       // a second VIP has the other family
  std::string cluster_uid = {};  // empty = not known
};

// Failure: invalid_spec when the Service has no ports, one without a node port, too many (1,000;
// 100,000 with the source ranges or Nodes that each of them has), or only source ranges of another
// family than the VIP's.
Result<WantedLoadBalancer> wanted_load_balancer(const LoadBalancerService& service,
                                                const Backends& backends,
                                                const BuildOptions& build);

}  // namespace ccm::openstack

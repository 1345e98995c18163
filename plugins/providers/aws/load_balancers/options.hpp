// What the annotations of a Service ask for, checked before the first call (AWS-60, 63, 69 to 71,
// 82 to 89, 96 to 103). Any thread.
#pragma once

#include "annotations.hpp"
#include "aws/config/settings.hpp"
#include "names.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/notices.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::aws {

enum class Kind { classic, network };

// "classic load balancer", "Network Load Balancer".
std::string name_of(Kind kind);

// The value of a health check's port: where the traffic goes.
inline constexpr std::string_view kTrafficPort = "traffic-port";

struct HealthCheck {
  std::string protocol;  // TCP, HTTP, HTTPS; of a classic one also SSL
  std::string port;      // "traffic-port", or a number
  std::string path;      // of HTTP and HTTPS alone
  int64_t interval = 0;  // seconds
  int64_t timeout = 0;   // seconds; 0 = as the API chooses
  int64_t healthy = 0;
  int64_t unhealthy = 0;

  bool operator==(const HealthCheck&) const = default;
};

struct ClassicAttributes {
  bool access_log = false;
  int64_t emit_interval = 60;  // minutes
  std::string bucket;
  std::string prefix;
  bool draining = false;
  int64_t draining_timeout = 300;  // seconds
  int64_t idle_timeout = 60;       // seconds
  bool cross_zone = false;

  // The details of what is switched off do not count (AWS-86, 154).
  bool operator==(const ClassicAttributes& other) const;
};

struct ServiceOptions {
  Kind kind = Kind::classic;
  bool internal = false;
  std::string name;                  // of the load balancer; empty = by the UID
  std::vector<std::string> subnets;  // ids and names
  std::vector<std::string> security_groups;
  std::vector<std::string> extra_security_groups;  // classic
  Tags tags;                                       // additional ones
  KeyValues node_labels;                           // "" = any value
  std::vector<std::string> certificates;           // ARNs; the first is the default
  std::optional<std::set<std::string>> ssl_ports;  // nothing = all
  std::string ssl_policy;
  std::string backend_protocol;
  HealthCheck health;  // of a classic one without its port
  // Whether the check's port may be opened on Nodes: the Service's own, or the operator's.
  bool own_health_port = true;

  // Network Load Balancers.
  bool dual_stack = false;
  bool address_type_said = false;              // by annotation, so that it may change later
  std::vector<std::string> allocations;        // one for each subnet
  std::vector<std::string> private_addresses;  // one for each subnet
  Tags attributes;                             // of the load balancer: those that are compared
  Tags group_attributes;                       // of each target group
  std::string alpn_policy;
  // Classic load balancers.
  bool proxy_protocol = false;
  ClassicAttributes classic;

  std::vector<Problem> problems;  // annotations that are not followed
  // Why no load balancer is made of these options. One that exists is kept up to date by the
  // others: the Go manager, which may have made it, does not read what is wrong.
  Status refused_if_new;
};

// Which kind the annotations and the class ask for; nothing: another program's (AWS-60).
std::optional<Kind> kind_of(const LoadBalancerService& service);

// Failure: invalid_spec, for all that can be known without asking AWS.
Result<ServiceOptions> read_options(const LoadBalancerService& service, const Settings& settings,
                                    Kind kind);

// Whether TLS ends at that port (AWS-83, 98).
bool ends_tls(const ServiceOptions& options, const ServicePort& port);

}  // namespace ccm::aws

// The wanted load balancer, as values (DO-339..DO-342). Any thread.
#pragma once

#include <ccm/status.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

inline constexpr std::string_view kRegional = "REGIONAL";
inline constexpr std::string_view kRegionalNetwork = "REGIONAL_NETWORK";
inline constexpr std::string_view kExternal = "EXTERNAL";
inline constexpr std::string_view kInternal = "INTERNAL";
inline constexpr std::string_view kIpv4 = "IPV4";
inline constexpr std::string_view kDualStack = "DUALSTACK";

struct ForwardingRule {
  std::string entry_protocol;
  int32_t entry_port = 0;
  std::string target_protocol;
  int32_t target_port = 0;
  std::string certificate_id;  // empty = none
  bool tls_passthrough = false;
  auto operator<=>(const ForwardingRule&) const = default;
};

struct HealthCheck {
  std::string protocol;
  int32_t port = 0;
  std::string path;                    // empty = the API's "/"
  int64_t check_interval_seconds = 3;  // 0 = the API's own, here and below (DO-163)
  int64_t response_timeout_seconds = 5;
  int64_t healthy_threshold = 5;
  int64_t unhealthy_threshold = 3;
  std::optional<bool> proxy_protocol;  // empty = the load balancer's (DO-197)
  bool operator==(const HealthCheck&) const = default;
};

struct StickySessions {
  std::string type = "none";
  std::string cookie_name;
  int64_t cookie_ttl_seconds = 0;  // 0 = the API's own (DO-147)
  bool operator==(const StickySessions&) const = default;
};

// The managed part of a load balancer. An empty optional is not managed: manual settings stay.
struct WantedLoadBalancer {
  std::string name;
  std::string algorithm = "round_robin";  // ignored by the API; sent when it is made (DO-141)
  std::optional<std::string> size;        // DO-142
  std::optional<int64_t> size_unit;       // DO-143
  std::string type;
  std::string network;
  std::string network_stack;
  std::vector<ForwardingRule> forwarding_rules;
  HealthCheck health_check;
  StickySessions sticky_sessions;
  std::vector<int64_t> droplet_ids;  // ascending, each once
  std::string target_tag;            // not empty: requests have it instead of the ids
  bool redirect_http_to_https = false;
  bool enable_proxy_protocol = false;
  bool enable_backend_keepalive = false;
  bool disable_lets_encrypt_dns_records = false;
  std::optional<uint64_t> http_idle_timeout_seconds;  // DO-152
  std::vector<std::string> allow;                     // DO-224
  std::vector<std::string> deny;
  std::string cluster_tag;  // empty = none (DO-223)
  std::string mark;         // the tag that names its Service; empty = its name does
  std::string named_mark;   // for a new one with a mark: a second tag; empty = none
  std::string region;       // for a new one
  std::string vpc_uuid;     // for a new one; empty = the region's default
  std::string subnet_uuid;  // DO-158
  std::string ip;           // for a new one: an address of the user's own (DO-157)
};

// Thrown while a request is built, and caught by its caller: the Service asks for something
// impossible. `status` is the caller's result.
struct SpecError {
  Status status;
};

// Reason of Statuses, and of the Event about one (DO-216).
inline constexpr const char* kConfigError = "LoadBalancerConfigError";

// class invalid_spec, reason kConfigError.
Status config_error(std::string message);

// Throws a SpecError with config_error(message).
[[noreturn]] void refuse(std::string message);

}  // namespace ccm::digitalocean

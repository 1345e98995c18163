// A load balancer in the API's answers (DO-337..DO-344). Any thread; takes any bytes.
#pragma once

#include "digitalocean/load_balancers/model.hpp"

#include <ccm/status.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

struct ExistingLoadBalancer {
  std::string id;
  std::string name;
  std::string status;  // new, active, errored
  std::string created_at;
  std::string ip;
  std::string ipv6;
  std::string type;           // REGIONAL when the answer omits it
  std::string network;        // EXTERNAL when omitted
  std::string network_stack;  // empty when omitted
  std::string region;
  std::vector<ForwardingRule> forwarding_rules;
  HealthCheck health_check;
  StickySessions sticky_sessions;
  std::vector<int64_t> droplet_ids;  // ascending
  std::string target_tag;            // by which it finds them; empty = they were listed
  std::optional<std::string> size;
  std::optional<int64_t> size_unit;
  std::optional<uint64_t> http_idle_timeout_seconds;
  bool redirect_http_to_https = false;
  bool enable_proxy_protocol = false;
  bool enable_backend_keepalive = false;
  bool disable_lets_encrypt_dns_records = false;
  std::vector<std::string> allow;  // ascending
  std::vector<std::string> deny;
  std::optional<std::vector<std::string>> tags;  // nothing when the API omits it (DO-344)
  std::string json;                              // the whole answer, for unmanaged fields

  // The cloud is still making it, or gives it an address.
  [[nodiscard]] bool in_creation() const {
    return status == "new" || (status == "active" && ip.empty());
  }
  // The first certificate of its rules; empty = none (DO-185).
  [[nodiscard]] std::string certificate_id() const;
  // false also when the API omits it.
  [[nodiscard]] bool has_tag(std::string_view tag) const;
};

struct LoadBalancerPage {
  std::vector<ExistingLoadBalancer> load_balancers;
  int64_t total = 0;
};

// Failure: data_loss for an unusable answer.
Result<LoadBalancerPage> parse_load_balancers(std::string_view json_text);
Result<ExistingLoadBalancer> parse_load_balancer(std::string_view json_text);

}  // namespace ccm::digitalocean

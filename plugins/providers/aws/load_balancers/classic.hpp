// Classic load balancers as the API shows them and as a Service wants them (AWS-82 to 89). Any
// thread.
#pragma once

#include "aws/api/xml.hpp"
#include "options.hpp"
#include "rules.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

struct ClassicListener {
  int64_t port = 0;
  std::string protocol;  // TCP, SSL, HTTP, HTTPS
  int64_t instance_port = 0;
  std::string instance_protocol;
  std::string certificate;
  std::set<std::string> policies{};  // not compared: set apart

  [[nodiscard]] bool ends_tls() const { return protocol == "SSL" || protocol == "HTTPS"; }
  bool operator==(const ClassicListener& other) const {
    return port == other.port && protocol == other.protocol &&
           instance_port == other.instance_port && instance_protocol == other.instance_protocol &&
           certificate == other.certificate;
  }
};

struct ClassicHealth {
  std::string target;  // "TCP:30080", "HTTP:30080/healthz"
  int64_t interval = 0;
  int64_t timeout = 0;
  int64_t healthy = 0;
  int64_t unhealthy = 0;

  bool operator==(const ClassicHealth&) const = default;
};

struct ClassicBalancer {
  std::string name;
  std::string dns_name;
  std::string vpc_id;
  bool internal = false;
  std::map<int64_t, ClassicListener> listeners;  // by port
  std::vector<std::string> subnets;
  std::vector<std::string> groups;
  std::set<std::string> instances;
  ClassicHealth health;
  std::set<std::string> policies;                          // names of those that exist
  std::map<int64_t, std::set<std::string>> port_policies;  // of instance ports
};

// Reads an element of a listing. Failure: data_loss.
Result<ClassicBalancer> read_classic_balancer(XmlElement member);

struct WantedClassic {
  std::map<int64_t, ClassicListener> listeners;
  ClassicHealth health;
  std::string ssl_policy;         // of AWS; empty = not said
  std::set<int64_t> proxy_ports;  // instance ports that get the PROXY protocol
};

// Failure: invalid_spec.
Result<WantedClassic> wanted_classic(const LoadBalancerService& service,
                                     const ServiceOptions& options);

// "k8s-SSLNegotiationPolicy-NAME" (AWS-84).
std::string ssl_policy_name(const std::string& policy);
inline constexpr std::string_view kProxyPolicy = "k8s-proxyprotocol-enabled";

// The rules of a load balancer's own group (AWS-90).
Rules classic_front_rules(const WantedClassic& wanted, const std::vector<std::string>& clients);

// Which steps lead from the subnets that it has to those that it is to have: no zone may have two
// at a time, and one has to remain (AWS-81).
struct SubnetSteps {
  std::vector<std::string> attach_first;
  std::vector<std::string> detach;
  std::vector<std::string> attach_last;
  // One that remains meanwhile where the others all go, and those that follow it.
  std::vector<std::string> detach_kept;
  std::vector<std::string> attach_for_kept;

  [[nodiscard]] bool empty() const {
    return attach_first.empty() && detach.empty() && attach_last.empty();
  }
};
// `zones`: of all subnets, by id. Empty although they differ: the only zone would have to be left.
SubnetSteps subnet_steps(const std::vector<std::string>& existing,
                         const std::vector<std::string>& wanted,
                         const std::map<std::string, std::string, std::less<>>& zones);

}  // namespace ccm::aws

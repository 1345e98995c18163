// Network Load Balancers as the API shows them and as a Service wants them (AWS-96 to 106). Any
// thread.
#pragma once

#include "aws/api/xml.hpp"
#include "aws/cluster.hpp"
#include "options.hpp"
#include "rules.hpp"
#include "subnets.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ccm::aws {

struct NetworkBalancer {
  std::string arn;
  std::string name;
  std::string dns_name;
  std::string type;   // network; application, gateway: somebody else's (AWS-116)
  std::string state;  // provisioning, active, active_impaired, failed
  std::string vpc_id;
  bool internal = false;
  bool dual_stack = false;
  bool source_nat = false;           // of IPv6, with a prefix: UDP of a dual-stack one needs it
  std::vector<std::string> subnets;  // ids
  std::vector<std::string> groups;   // security groups
  std::map<std::string, std::string> allocations;  // of elastic IP addresses, by subnet
  std::map<std::string, std::string> addresses;    // chosen private ones of IPv4, by subnet
};

struct TargetGroup {
  std::string arn;
  std::string name;
  std::string protocol;
  int64_t port = 0;
  std::string vpc_id;
  HealthCheck health;
  std::vector<std::string> balancers;  // ARNs; none = an orphan (AWS-108)
};

struct Listener {
  std::string arn;
  int64_t port = 0;
  std::string protocol;
  std::string certificate;  // the default one
  std::string ssl_policy;
  std::string alpn_policy;
  std::string target_group;  // ARN; empty = it forwards in another way
};

// Read an element of an answer. Failure: data_loss.
Result<NetworkBalancer> read_network_balancer(XmlElement member);
Result<TargetGroup> read_target_group(XmlElement member);
Result<Listener> read_listener(XmlElement member);

struct WantedListener {
  int64_t port = 0;
  std::string protocol;                   // TCP, UDP, TCP_UDP, TLS
  std::vector<std::string> certificates;  // of TLS; the first is the default
  std::string ssl_policy;                 // empty = not said
  std::string alpn_policy;                // empty = not said
  TargetGroup group;                      // without its ARN
  bool own_health_port = true;            // as in ServiceOptions

  // "TCP 80": for people.
  [[nodiscard]] std::string text() const { return protocol + " " + std::to_string(port); }
};

// One for each port; TCP and UDP on one port and node port are one (AWS-98 to 101, 145). Failure:
// invalid_spec.
Result<std::vector<WantedListener>> wanted_listeners(const LoadBalancerService& service,
                                                     const ServiceOptions& options,
                                                     const Cluster& cluster);

// Whether ModifyListener is to be called; certificates beyond the default one are separate.
bool differs(const WantedListener& wanted, const Listener& listener);
// Whether ModifyTargetGroup is: what may change without another name (AWS-104).
bool differs(const HealthCheck& wanted, const HealthCheck& existing);

// The ports at which Nodes take traffic and checks: what their security groups have to let in for
// one without a group, or with named ones and source ranges (AWS-109; network_subject.cpp has one
// rule from the group for the others). Each of them from all `clients`, checks from the subnets
// where `clients` are not all, and at ports of the Service's own. With `hidden` the load balancer's
// addresses in its subnets also stand for clients that none of `clients` may be: no port for
// traffic is open to them.
Rules node_rules(const std::vector<WantedListener>& listeners, const std::string& load_balancer,
                 const std::vector<std::string>& clients, const std::vector<Subnet>& subnets,
                 bool hidden = false);
// These rules for a load balancer with a group that its Service names: whoever writes Services
// chooses it, and with it who else is a member, so it gets these ports and no others.
Rules node_rules_from(const std::string& group_id, const std::vector<WantedListener>& listeners,
                      const std::string& load_balancer);
// The rules of the load balancer's own group (AWS-112).
Rules front_rules(const std::vector<WantedListener>& listeners,
                  const std::vector<std::string>& clients);

}  // namespace ccm::aws

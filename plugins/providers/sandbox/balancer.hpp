// Load balancers of the sandbox cloud as values: the wanted one, the existing one, and their
// differences. Any thread.
#pragma once

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

// Sorted. All machines of a cluster are backends of each of its load balancers, so concurrent
// operations share them. Never null.
using MachineIds = std::shared_ptr<const std::vector<std::string>>;

// All settings of the provider.
struct BalancerSpec {
  std::string name;
  std::string owner_cluster;  // the owner mark; empty = it has none
  std::string owner_uid;
  std::vector<ccm::ServicePort> ports;
  MachineIds backends;
  std::vector<std::string> source_ranges;
  std::vector<std::string> ip_families;
  int64_t health_port = 0;  // 0 = no health check
  bool client_ip_affinity = false;
  int64_t affinity_timeout_s = 0;
  std::string hostname;
  std::string ip_mode;
  bool internal = false;
  std::string requested_ip;
  std::vector<ccm::IngressPort> port_errors;
};

// One in the cloud.
struct Balancer {
  std::string id;
  std::string status;
  int64_t ready_in_ms = 0;
  BalancerSpec spec;
  std::vector<std::string> ips;
  std::vector<std::string> hostnames;

  [[nodiscard]] bool deleting() const { return status == "deleting"; }
  [[nodiscard]] bool owned_by(const ccm::LoadBalancerService& service) const {
    return spec.owner_cluster == service.cluster_name && spec.owner_uid == service.uid;
  }
};

// The Service's load balancer, including the annotations
// sandbox.cloud/{hostname,ip-mode,internal,port-errors} and the parameters of its class of the same
// names; the annotation wins. Failure: invalid_argument/invalid_spec that names the annotation.
ccm::Result<BalancerSpec> wanted_balancer(const ccm::LoadBalancerService& service,
                                          MachineIds backends);

// "ports, backends": the cloud's differences; empty = none.
std::string difference(const BalancerSpec& wanted, const BalancerSpec& actual);

// The request's body.
std::string to_json(const BalancerSpec& spec);
std::string backends_to_json(const MachineIds& backends);

// Failure: data_loss "BadAnswer".
ccm::Result<Balancer> parse_balancer(std::string_view json);
// One page of a listing.
struct BalancerPage {
  std::vector<Balancer> balancers;
  std::size_t total = 0;
  bool last = true;
};
ccm::Result<BalancerPage> parse_balancer_page(std::string_view json);
// The balancers on the first page of a listing; failure also when there are more pages.
ccm::Result<std::vector<Balancer>> parse_balancers(std::string_view json);
ccm::Result<ccm::LoadBalancerLimits> parse_balancer_limits(std::string_view json);

// The answer for a controller.
ccm::LoadBalancer shown(const Balancer& balancer, std::string difference);

}  // namespace sandbox

// The wanted load balancer, from a Service, its backends and the provider's settings (DO-107,
// DO-131..DO-158, DO-223..DO-234). Pure; any thread.
#pragma once

#include "digitalocean/load_balancers/annotations.hpp"
#include "digitalocean/load_balancers/backends.hpp"
#include "digitalocean/load_balancers/existing.hpp"
#include "digitalocean/load_balancers/model.hpp"
#include "digitalocean/settings.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>

#include <string>
#include <vector>

namespace ccm::digitalocean {

// The Service's own settings, before anything of the cloud is known.
struct LoadBalancerTraits {
  std::string name;  // DO-92, DO-93
  std::string type;  // by annotation or setting (DO-154)
  std::string network;
  std::string network_stack;  // by annotation; empty = chosen automatically
  std::string certificate_id;
  std::string certificate_name;  // only when there is no id (DO-184)
  std::string hostname;          // DO-140
  std::string target_tag;        // empty = droplets by id
  bool type_asked = false;       // by annotation
  bool network_asked = false;
};
Result<LoadBalancerTraits> read_traits(const LoadBalancerService& service,
                                       const Annotations& annotations, const Settings& settings);

// DO-118, DO-119: whether the load balancer is to be left alone.
Result<bool> disowned(const Config& config, std::string_view namespace_name,
                      const Annotations& annotations);

struct RequestInput {
  const LoadBalancerService& service;
  const Annotations& annotations;
  const Settings& settings;
  const LoadBalancerTraits& traits;
  const EligibleBackends& backends;
  const std::vector<int64_t>& droplet_ids;
  const ExistingLoadBalancer* existing;  // null: to be created
  const std::string& certificate_id;     // resolved; empty = none
  const std::string& region;
};
// An existing one keeps its type, network and stack, which cannot change (DO-217, DO-218).
// Failure: class invalid_spec, or failed_precondition for causes in the nodes.
Result<WantedLoadBalancer> build_request(const RequestInput& input);

// The `backends` that such a load balancer reaches, as a Result.
Result<EligibleBackends> select_backends(const Backends& backends, std::string_view type,
                                         std::string_view network);

// Settings of the Service that this load balancer can never get, one sentence each; empty = none.
std::vector<std::string> immutable_differences(const LoadBalancerTraits& traits,
                                               const ExistingLoadBalancer& existing);

}  // namespace ccm::digitalocean

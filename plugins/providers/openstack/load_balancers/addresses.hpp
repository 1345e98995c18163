// The address of a load balancer: its VIP's, or a floating IP's (OS-283..OS-293). [serial]
#pragma once

#include "existing.hpp"
#include "openstack/network/floating_ips.hpp"
#include "options.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <vector>

namespace ccm::openstack {

class Addresses {
 public:
  explicit Addresses(Api& api) : floating_(api) {}

  struct Address {
    std::string text;    // empty = it has none yet
    std::string done;    // what was changed
    std::string second;  // of a load balancer of both families: the one of IPv6
  };

  // The one that the Service is to have; with `make` it is made, else only looked for.
  Task<Result<Address>> of(Ctx ctx, const LoadBalancerService& service,
                           const ServiceOptions& options, const ExistingLoadBalancer& balancer,
                           bool make, std::vector<Problem>& problems);
  // That of its floating IP; empty = none.
  Task<Result<std::string>> floating_address(Ctx ctx, const ExistingLoadBalancer& balancer);
  // Before the load balancer is deleted: a floating IP that a manager made goes with it, unless
  // it is to be kept (OS-203, OS-307).
  Task<Status> release(Ctx ctx, const LoadBalancerService& service,
                       const ExistingLoadBalancer& balancer);
  // Only one that a manager made for this very Service.
  Task<Status> release_own(Ctx ctx, const LoadBalancerService& service,
                           const ExistingLoadBalancer& balancer);
  // The subnet of the first Node that has an address on one (OS-236); empty = none.
  Task<Result<std::string>> subnet_of_nodes(Ctx ctx, const Backends& backends,
                                            const std::string& family);
  // The Nodes' subnet of that family on the network of a load balancer, which its options name by
  // subnet or network; empty = none. Octavia takes further VIPs from the network of the first.
  Task<Result<std::string>> second_subnet(Ctx ctx, const Backends& backends,
                                          const std::string& family, std::string subnet_id,
                                          std::string network_id);

 private:
  // The one of IPv4, which a floating IP may have.
  Task<Result<Address>> ipv4(Ctx ctx, const LoadBalancerService& service,
                             const ServiceOptions& options, const ExistingLoadBalancer& balancer,
                             bool make, std::vector<Problem>& problems);
  Task<Status> release_if(Ctx ctx, const LoadBalancerService& service,
                          const ExistingLoadBalancer& balancer, bool own_alone);
  Task<Result<Address>> internal(Ctx ctx, const LoadBalancerService& service,
                                 const ServiceOptions& options,
                                 const ExistingLoadBalancer& balancer, bool make);
  Task<Result<Address>> make_floating(Ctx ctx, const LoadBalancerService& service,
                                      const ServiceOptions& options,
                                      const ExistingLoadBalancer& balancer, std::string network_id);
  // Why `failed` when a floating IP was to lead to the load balancer.
  Task<Status> explained(Ctx ctx, Status failed, const ExistingLoadBalancer& balancer);
  // Empty = no network leads outside.
  Task<Result<std::string>> floating_network(Ctx ctx, const ServiceOptions& options);
  Task<Result<FloatingIp>> create(Ctx ctx, NewFloatingIp wanted, const FloatingSource& source);

  FloatingIps floating_;
};

// The failure when Nodes have no subnet: class waiting while none of them is initialised.
Status no_subnet(const Backends& backends);
// OS-293. A name stands for both addresses.
std::vector<Ingress> ingress_of(const ServiceOptions& options, const Addresses::Address& address);

}  // namespace ccm::openstack

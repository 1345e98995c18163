// The address of a load balancer: its VIP's, or a floating IP's (OS-283..OS-293). [serial]
#pragma once

#include "existing.hpp"
#include "openstack/network/floating_ips.hpp"
#include "options.hpp"

#include <ccm/cluster_uid.hpp>
#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ccm::openstack {

class Addresses {
 public:
  Addresses(Host& host, Api& api, ClusterUid& cluster)
      : host_(host), cluster_(cluster), floating_(api) {}

  struct Address {
    std::string text;    // empty = it has none yet
    std::string done;    // what was changed
    std::string second;  // of a load balancer of both families: the one of IPv6
  };

  // The address that the Service is to have; with `make` it is made, else only looked for.
  Task<Result<Address>> address_for(Ctx ctx, const LoadBalancerService& service,
                                    const ServiceOptions& options,
                                    const ExistingLoadBalancer& balancer, bool make,
                                    std::vector<Problem>& problems);
  // The address of the load balancer's floating IP; empty = none.
  Task<Result<std::string>> floating_address(Ctx ctx, const ExistingLoadBalancer& balancer);
  // Before the load balancer is deleted: a floating IP that a manager made for it goes with it,
  // unless it is to be kept (OS-203, OS-307). `service`: nobody's where a tool deletes it.
  Task<Status> release(Ctx ctx, const LoadBalancerService& service,
                       const ExistingLoadBalancer& balancer);
  // Before the Service leaves one that stays. With other users left, its floating IP goes, or is
  // detached when it is to be kept, unless one of them is of its namespace; with none left, it
  // goes, or stays attached when it is to be kept.
  Task<Status> leave(Ctx ctx, const LoadBalancerService& service,
                     const ExistingLoadBalancer& balancer);
  // The subnet on which the server has the address; empty = none.
  Task<Result<std::string>> subnet_of(Ctx ctx, std::string server_id, std::string address) {
    return floating_.subnet_of(std::move(ctx), std::move(server_id), std::move(address));
  }
  // The subnet of the first Node that has an address on one (OS-236); empty = none.
  Task<Result<std::string>> subnet_of_nodes(Ctx ctx, const Backends& backends,
                                            const std::string& family);
  // The first subnet of that family on a network; empty = none.
  Task<Result<std::string>> subnet_on(Ctx ctx, std::string network_id, const std::string& family);
  // Failure: not_found. A subnet does not change, so it is read once.
  Task<Result<Subnet>> subnet(Ctx ctx, std::string id);
  // The Nodes' subnet of that family on the network of a load balancer, which its options name by
  // subnet or network; empty = none. Octavia takes further VIPs from the network of the first.
  Task<Result<std::string>> second_subnet(Ctx ctx, const Backends& backends,
                                          const std::string& family, std::string subnet_id,
                                          std::string network_id);

 private:
  // The IPv4 address, which may be that of a floating IP.
  Task<Result<Address>> ipv4(Ctx ctx, const LoadBalancerService& service,
                             const ServiceOptions& options, const ExistingLoadBalancer& balancer,
                             bool make, std::vector<Problem>& problems);
  // Whether the floating IP of the load balancer is described for the Service, or for one of its
  // namespace that had it before; not one that was kept for another Service, and asked for by this.
  Task<Result<bool>> is_own(Ctx ctx, const LoadBalancerService& service,
                            const ExistingLoadBalancer& balancer, FloatingIp address);
  // Whether the Service may use an address that nobody uses. One that was kept is for Services of
  // the namespace for which it is described.
  Task<Status> may_take(Ctx ctx, const LoadBalancerService& service, const FloatingIp& found);
  Task<Result<Address>> internal(Ctx ctx, const LoadBalancerService& service,
                                 const ServiceOptions& options,
                                 const ExistingLoadBalancer& balancer, bool make);
  Task<Result<Address>> make_floating(Ctx ctx, const LoadBalancerService& service,
                                      const ServiceOptions& options,
                                      const ExistingLoadBalancer& balancer, std::string network_id);
  // Why `failed` when a floating IP was to lead to the load balancer.
  Task<Status> why_refused(Ctx ctx, Status failed, const ExistingLoadBalancer& balancer);
  // Empty = no network leads outside.
  Task<Result<std::string>> floating_network(Ctx ctx, const ServiceOptions& options);
  Task<Result<FloatingIp>> create(Ctx ctx, NewFloatingIp wanted, const FloatingSource& source);

  Host& host_;
  ClusterUid& cluster_;
  FloatingIps floating_;
  std::map<std::string, Subnet> subnets_;  // by ID
};

// The failure when Nodes have no subnet: class waiting while none of them is initialised.
Status no_subnet(const Backends& backends);
// Whether an annotation that counts in its namespace keeps the Service's floating IP in the
// project.
bool keeps_floating_ip(const Config& config, const LoadBalancerService& service);
// OS-293. A name stands for both addresses.
std::vector<Ingress> ingress_of(const ServiceOptions& options, const Addresses::Address& address);

}  // namespace ccm::openstack

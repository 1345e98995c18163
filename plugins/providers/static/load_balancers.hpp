// A load balancer is the addresses that a Service has of the pools: kube-proxy on each Node takes
// what arrives for them, so nothing is made in any cloud. [serial]
#pragma once

#include "address_holders.hpp"
#include "address_pool.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/task.hpp>

#include <vector>

namespace ccm::static_provider {

class LoadBalancers {
 public:
  using Pools = std::vector<AddressPool>;

  explicit LoadBalancers(Host& host) : holders_(host) {}

  Task<Result<LoadBalancer>> ensure(Ctx ctx, LoadBalancerService service, Pools pools);
  Result<LoadBalancer> observe(const LoadBalancerService& service, const Pools& pools);
  Status remove(const LoadBalancerService& service);

 private:
  // Whether the recorded id leads to addresses of another Service, and this one has none.
  bool is_foreign(const LoadBalancerService& service);
  // The Service's addresses now, or when its id was recorded.
  std::vector<Address> held_by(const LoadBalancerService& service) const;
  Result<std::vector<Address>> choose(const LoadBalancerService& service, const Pools& pools,
                                      const std::vector<Address>& held);

  AddressHolders holders_;
};

}  // namespace ccm::static_provider

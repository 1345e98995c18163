// The host's operations on load balancers (OS-252..OS-310), by the rules of ccm/provider.hpp.
// [serial]
//
// None of them waits: while Octavia works on a load balancer it is immutable, so the answer is
// "pending", and the next call goes on from what it finds then.
#pragma once

#include "octavia.hpp"
#include "openstack/api.hpp"
#include "openstack/config/settings.hpp"

#include <ccm/host.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ccm::openstack {

class LoadBalancers {
 public:
  LoadBalancers(Host& host, Api& api) : host_(host), octavia_(api) {}
  LoadBalancers(const LoadBalancers&) = delete;
  LoadBalancers& operator=(const LoadBalancers&) = delete;

  void configure(LoadBalancerSettings settings) { settings_ = std::move(settings); }

  Task<Result<LoadBalancer>> observe(Ctx ctx, LoadBalancerService service, Backends backends);
  Task<Result<LoadBalancer>> ensure(Ctx ctx, LoadBalancerService service, Backends backends);
  // The members alone.
  Task<Result<LoadBalancer>> update(Ctx ctx, LoadBalancerService service, Backends backends);
  // Class waiting until it is gone.
  Task<Status> remove(Ctx ctx, LoadBalancerService service);
  static LoadBalancerLimits limits();

 private:
  using Found = std::optional<ExistingLoadBalancer>;

  // By the recorded id, else by the Service's mark.
  Task<Result<Found>> find(Ctx ctx, const LoadBalancerService& service);
  Task<Result<WantedLoadBalancer>> want(Ctx ctx, const LoadBalancerService& service,
                                        const Backends& backends);
  // Sends them one after the other until one is under way, or all are done.
  Task<Status> send_all(Ctx ctx, ExistingLoadBalancer& balancer,
                        std::vector<LoadBalancerWrite> writes, std::string& done);
  Task<Result<std::string>> address_of(Ctx ctx, const LoadBalancerService& service,
                                       const WantedLoadBalancer& wanted,
                                       const ExistingLoadBalancer& balancer, bool make);

  Host& host_;
  Octavia octavia_;
  LoadBalancerSettings settings_;
};

}  // namespace ccm::openstack

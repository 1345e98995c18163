// Machines and addresses that stand in a file, for clusters without a cloud. [serial]
#pragma once

#include "configuration_file.hpp"
#include "load_balancers.hpp"

#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <string_view>

namespace ccm::static_provider {

class Provider {
 public:
  explicit Provider(Host& host) : file_(host), load_balancers_(host) {}

  Task<Status> initialize(Ctx ctx);
  bool offers(std::string_view interface);

  Task<Result<InstanceList>> list(Ctx ctx);

  Task<Result<LoadBalancer>> observe_load_balancer(Ctx ctx, LoadBalancerService service,
                                                   Backends backends);
  Task<Result<LoadBalancer>> ensure_load_balancer(Ctx ctx, LoadBalancerService service,
                                                  Backends backends);
  Task<Status> delete_load_balancer(Ctx ctx, LoadBalancerService service);

 private:
  ConfigurationFile file_;
  LoadBalancers load_balancers_;
};

}  // namespace ccm::static_provider

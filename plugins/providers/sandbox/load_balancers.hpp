// Load balancers by the rules of ccm/abi/loadbalancers.h: reads before it writes, writes only
// differences, finds its own by the owner mark, never waits. [serial]
#pragma once

#include "balancer.hpp"
#include "cloud_client.hpp"

#include <ccm/load_balancer.hpp>
#include <ccm/task.hpp>

#include <optional>
#include <string>
#include <vector>

namespace sandbox {

class LoadBalancers {
 public:
  using Answer = ccm::Task<ccm::Result<ccm::LoadBalancer>>;

  explicit LoadBalancers(CloudClient& cloud) : cloud_(cloud) {}

  // One of the next three.
  using Work = Answer (LoadBalancers::*)(ccm::Ctx, ccm::LoadBalancerService, MachineIds);
  Answer observe(ccm::Ctx ctx, ccm::LoadBalancerService service, MachineIds backends);
  Answer ensure(ccm::Ctx ctx, ccm::LoadBalancerService service, MachineIds backends);
  Answer update(ccm::Ctx ctx, ccm::LoadBalancerService service, MachineIds backends);
  ccm::Task<ccm::Status> remove(ccm::Ctx ctx, ccm::LoadBalancerService service);
  ccm::Task<ccm::Result<ccm::LoadBalancerLimits>> limits(ccm::Ctx ctx);

 private:
  // The load balancer of the recorded id, the user's annotation or the owner mark.
  struct Found {
    std::optional<Balancer> balancer;
    bool foreign = false;
  };
  ccm::Task<ccm::Result<Found>> find(ccm::Ctx ctx, ccm::LoadBalancerService service);
  // Nothing when that id does not exist.
  ccm::Task<ccm::Result<std::optional<Balancer>>> get(ccm::Ctx ctx, std::string id);
  ccm::Task<ccm::Result<std::vector<Balancer>>> list_owned(ccm::Ctx ctx, std::string cluster,
                                                           std::string uid);
  ccm::Task<ccm::Result<Balancer>> write(ccm::Ctx ctx, std::string method, std::string path,
                                         std::string body, std::string operation);

  CloudClient& cloud_;
};

}  // namespace sandbox

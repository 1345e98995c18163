// The objects that this manager made in the sandbox cloud, by the rules of ccm/abi/owned.h: load
// balancers and routes whose owner mark names the cluster. [serial]
#pragma once

#include "balancer.hpp"
#include "cloud_client.hpp"
#include "cloud_routes.hpp"

#include <ccm/owned.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

class Owned {
 public:
  using Objects = std::vector<ccm::OwnedObject>;

  Owned(CloudClient& cloud, CloudRoutes& routes) : cloud_(cloud), routes_(routes) {}

  ccm::Task<ccm::Result<Objects>> list(ccm::Ctx ctx, ccm::ClusterNames cluster);
  ccm::Task<ccm::Status> remove(ccm::Ctx ctx, ccm::ClusterNames cluster, ccm::OwnedObject object);

 private:
  ccm::Task<ccm::Status> list_load_balancers(ccm::Ctx ctx, ccm::ClusterNames cluster, Objects& out);
  ccm::Task<ccm::Status> list_routes(ccm::Ctx ctx, std::string cluster, Objects& out);
  ccm::Task<ccm::Status> remove_load_balancer(ccm::Ctx ctx, ccm::ClusterNames cluster,
                                              std::string id);
  ccm::Task<ccm::Status> remove_route(ccm::Ctx ctx, ccm::OwnedObject object);

  CloudClient& cloud_;
  CloudRoutes& routes_;
};

}  // namespace sandbox

// The sandbox cloud as a provider: coroutines on the host's loop. [serial]
#pragma once

#include "cloud_client.hpp"
#include "cloud_routes.hpp"
#include "load_balancers.hpp"
#include "machine.hpp"
#include "owned.hpp"

#include <ccm/host.hpp>
#include <ccm/instance_pages.hpp>
#include <ccm/instances.hpp>
#include <ccm/load_balancer.hpp>
#include <ccm/owned.hpp>
#include <ccm/route.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sandbox {

class Provider {
 public:
  explicit Provider(ccm::Host& host);

  // Reads --cloud-config and tests the credential, or the file. invalid_argument when it is wrong.
  ccm::Task<ccm::Status> initialize(ccm::Ctx ctx);
  // Every machine.
  ccm::Task<ccm::Result<ccm::InstanceList>> list(ccm::Ctx ctx);
  // By ID when the Node has one, else by name. implemented_elsewhere for another cloud's ID.
  ccm::Task<ccm::Result<ccm::Instance>> get(ccm::Ctx ctx, ccm::NodeIdentity node);

  ccm::Task<ccm::Result<ccm::LoadBalancer>> observe_load_balancer(ccm::Ctx ctx,
                                                                  ccm::LoadBalancerService service,
                                                                  ccm::Backends backends);
  ccm::Task<ccm::Result<ccm::LoadBalancer>> ensure_load_balancer(ccm::Ctx ctx,
                                                                 ccm::LoadBalancerService service,
                                                                 ccm::Backends backends);
  ccm::Task<ccm::Result<ccm::LoadBalancer>> update_load_balancer(ccm::Ctx ctx,
                                                                 ccm::LoadBalancerService service,
                                                                 ccm::Backends backends);
  ccm::Task<ccm::Status> delete_load_balancer(ccm::Ctx ctx, ccm::LoadBalancerService service);
  ccm::Task<ccm::Result<ccm::LoadBalancerLimits>> load_balancer_limits(ccm::Ctx ctx);

  ccm::Task<ccm::Result<std::vector<ccm::Route>>> list_routes(ccm::Ctx ctx,
                                                              std::string cluster_name);
  ccm::Task<ccm::Result<std::vector<ccm::Status>>> apply_routes(ccm::Ctx ctx,
                                                                std::string cluster_name,
                                                                std::vector<ccm::Route> removals,
                                                                std::vector<ccm::Route> additions);
  ccm::Task<ccm::Result<ccm::RouteLimits>> route_limits(ccm::Ctx ctx);

  ccm::Task<ccm::Result<std::vector<ccm::OwnedObject>>> list_owned(ccm::Ctx ctx,
                                                                   ccm::ClusterNames cluster);
  ccm::Task<ccm::Status> remove_owned(ccm::Ctx ctx, ccm::ClusterNames cluster,
                                      ccm::OwnedObject object);

 private:
  using Instances = std::vector<ccm::Instance>;
  ccm::Task<ccm::Status> check_credential(ccm::Ctx ctx);  // one short listing
  // The machines of a list of backends.
  struct Machines {
    ccm::Backends backends;
    std::vector<std::string> ids;
  };

  ccm::Status configure();
  void configuration_changed();
  // The machine of a Node; empty when the cloud has none, or another cloud has it.
  ccm::Task<ccm::Result<std::string>> machine_of(ccm::Ctx ctx, std::string name,
                                                 std::string provider_id);
  // The IDs of those backends' machines that exist.
  ccm::Task<ccm::Result<MachineIds>> machines_of(ccm::Ctx ctx, ccm::Backends backends);
  // That work of load_balancers_ with the machines of those backends.
  ccm::Task<ccm::Result<ccm::LoadBalancer>> with_machines(ccm::Ctx ctx,
                                                          ccm::LoadBalancerService service,
                                                          ccm::Backends backends,
                                                          LoadBalancers::Work work);
  // A file has no load balancers and no routes.
  ccm::Status needs_cloud() const;
  ccm::Task<ccm::Result<ccm::InstancePages>> list_pages(ccm::Ctx ctx);
  // `page` must outlive it.
  ccm::Task<ccm::Status> read_page(ccm::Ctx ctx, int64_t number, MachinePage& page);
  ccm::Task<ccm::Result<Instances>> list_file();
  ccm::Task<ccm::Result<ccm::Instance>> get_by_id(ccm::Ctx ctx, std::string id);
  ccm::Task<ccm::Result<ccm::Instance>> get_by_name(ccm::Ctx ctx, std::string name);

  ccm::Host& host_;
  CloudClient cloud_;
  LoadBalancers load_balancers_;
  CloudRoutes routes_;
  Owned owned_;
  std::weak_ptr<const Machines> last_machines_;  // without an answer of the cloud
};

}  // namespace sandbox

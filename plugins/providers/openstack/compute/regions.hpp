// The servers of all regions that the manager works for: that of [Global] region, and those of
// additional-region (OS-435). One token is for all of them. [serial]
#pragma once

#include "openstack/api.hpp"
#include "openstack/config/settings.hpp"
#include "servers.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <memory>
#include <string>
#include <vector>

namespace ccm::openstack {

class Regions {
 public:
  Regions(Host& host, Session& session) : host_(host), session_(session) {}
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;

  // `regional`: provider IDs name the region; those of an additional region always do.
  void configure(const GlobalSettings& global, const NetworkingSettings& networking, bool regional);

  // Whether the catalog has Nova and Neutron in each region. Failures: those of Api::find_service.
  Task<Status> find_services(Ctx ctx);
  // Whether the first region's Nova answers.
  Task<Status> check(Ctx ctx);
  // The servers of all regions, asked at the same time. Those of one that fails are unknown; it is
  // a failure when all do.
  Task<Result<InstanceList>> list(Ctx ctx);
  // By the region of the provider ID, else in the order of the regions; see Servers::get.
  Task<Result<Instance>> get(Ctx ctx, NodeIdentity node);

 private:
  struct Region {
    Region(Host& host, Session& session, std::string region)
        : name(std::move(region)), api(session, name), servers(host, api) {}
    const std::string name;
    Api api;
    Servers servers;
  };
  // Operations hold them: configure() may replace them meanwhile.
  using RegionPtr = std::shared_ptr<Region>;

  void tell_lost(const Region& region, const Status& failure);

  Host& host_;
  Session& session_;
  std::vector<RegionPtr> regions_;
};

}  // namespace ccm::openstack

// The project's servers as instances: all in pages, or one (OS-144..OS-161). [serial]
#pragma once

#include "openstack/api.hpp"
#include "openstack/config/settings.hpp"
#include "openstack/network/ports.hpp"
#include "server.hpp"

#include <ccm/host.hpp>
#include <ccm/instances.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <string>
#include <vector>

namespace ccm::openstack {

class Servers {
 public:
  Servers(Host& host, Api& api) : host_(host), api_(api) {}
  Servers(const Servers&) = delete;
  Servers& operator=(const Servers&) = delete;

  // `regional`: provider IDs name the region.
  void configure(std::string region, NetworkingSettings networking, bool regional);

  // All that the project has. With a region each stands there twice, with and without it in the
  // provider ID, since Nodes may have either; the name is at the form that new Nodes get.
  Task<Result<InstanceList>> list(Ctx ctx);
  // By provider ID when the Node has one, else by name. not_found when Nova says so; implemented_
  // elsewhere for another provider's ID or another region's.
  Task<Result<Instance>> get(Ctx ctx, NodeIdentity node);
  // One server at most: whether Nova answers.
  Task<Status> check(Ctx ctx);

 private:
  Task<Result<std::vector<Server>>> read_all(Ctx ctx, std::string query);
  Task<Result<Server>> by_id(Ctx ctx, std::string id);
  Task<Result<Server>> by_name(Ctx ctx, std::string name);
  Task<Result<Instance>> complete(Ctx ctx, Server server);
  Task<Status> learn_flavors(Ctx ctx, const std::vector<Server>& servers);
  [[nodiscard]] Instance instance_of(const Server& server, const ServerPorts& ports) const;
  [[nodiscard]] std::string instance_type(const Server& server) const;
  Task<Result<HttpResponse>> ask_nova(Ctx ctx, std::string path, std::string operation);
  void tell_old_nova();

  Host& host_;
  Api& api_;
  std::string region_;
  NetworkingSettings networking_;
  bool regional_ = false;
  bool old_nova_ = false;                       // it does not know microversion 2.47
  std::map<std::string, std::string> flavors_;  // names by ID, for an old Nova
};

}  // namespace ccm::openstack

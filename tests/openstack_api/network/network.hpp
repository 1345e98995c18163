// Neutron v2.0: networks, subnets, ports, routers with extra routes, floating IPs, security groups
// and their rules; tags, filters, pages, revisions, quotas, extensions.
#pragma once

#include "openstack_api/network/addresses.hpp"
#include "openstack_api/network/attributes.hpp"
#include "openstack_api/network/floating_ips.hpp"
#include "openstack_api/network/listing.hpp"
#include "openstack_api/network/ports.hpp"
#include "openstack_api/network/routers.hpp"
#include "openstack_api/network/security_groups.hpp"
#include "openstack_api/network/store.hpp"
#include "openstack_api/records.hpp"
#include "openstack_api/world.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::openstack_api {

class Network {
 public:
  // `url`: after the fake's, "/networking".
  Network(World& world, std::string url);
  Network(const Network&) = delete;  // its parts refer to each other
  Network& operator=(const Network&) = delete;

  // Failure: Refusal.
  Answer handle(const Call& call);

  // Settings. Objects are made as by the caller of that project, without a look at roles.
  size_t most_routes = 30;
  size_t page_size = 0;  // of a list, at most; 0 = any, as without pagination_max_limit
  std::vector<std::string> extensions;
  Records& records(const std::string& collection) { return store_.of(collection); }
  json& add(const std::string& collection, const std::string& project_id, json members);
  void remove(const std::string& collection, const std::string& id);
  // A port of the router, with the subnet's gateway address.
  void add_interface(const std::string& router_id, const std::string& subnet_id) {
    routers_.add_interface(router_id, subnet_id);
  }
  void set_quota(const std::string& project_id, const std::string& resource, int64_t limit) {
    store_.set_quota(project_id, resource, limit);
  }

  // For the other services.
  void change_port(const std::string& id, const json& members);

 private:
  Answer object(const Resource& resource, const Call& call);
  Answer create(const Resource& resource, const Call& call);
  Answer update(const Resource& resource, const Call& call, json& record);
  Answer tags(const Resource& resource, const Call& call, json& record);
  Answer quotas(const Call& call);
  json& found(const Resource& resource, const std::string& id, const Caller& caller);
  void remove_record(const std::string& collection, json& record);

  const std::string url_;
  NetworkStore store_;
  SecurityGroups groups_{store_};
  Ports ports_{store_, groups_};
  Routers routers_{store_, ports_, most_routes};
  FloatingIps floating_ips_{store_, ports_};
  NetworkListing listing_{store_, page_size};
};

// The aliases of the extensions that Neutron 26 lists with the plugins of tests/openstack.
std::vector<std::string> network_extensions();

}  // namespace ccm::openstack_api

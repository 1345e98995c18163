// Neutron v2.0: networks, subnets, ports, routers with extra routes, floating IPs, security groups
// and their rules; tags, filters, pages, revisions, quotas, extensions.
#pragma once

#include "openstack_api/network/addresses.hpp"
#include "openstack_api/network/attributes.hpp"
#include "openstack_api/records.hpp"
#include "openstack_api/world.hpp"

#include <map>
#include <string>
#include <vector>

namespace ccm::openstack_api {

class Network {
 public:
  // `url`: after the fake's, "/networking".
  Network(World& world, std::string url);

  // Failure: Refusal.
  Answer handle(const Call& call);

  // Settings. Objects are made as by the caller of that project, without a look at roles.
  size_t most_routes = 30;
  size_t page_size = 0;  // of a list, at most; 0 = any, as without pagination_max_limit
  std::vector<std::string> extensions;
  Records& records(const std::string& collection) { return records_.at(collection); }
  json& add(const std::string& collection, const std::string& project_id, json members);
  void remove(const std::string& collection, const std::string& id);
  // A port of the router, with the subnet's gateway address.
  void add_interface(const std::string& router_id, const std::string& subnet_id);
  void set_quota(const std::string& project_id, const std::string& resource, int64_t limit);

  // For the other services.
  void change_port(const std::string& id, const json& members);

 private:
  // listing.cpp
  [[nodiscard]] Answer list(const Resource& resource, const Call& call) const;
  [[nodiscard]] bool matches(const json& record, const Call& call) const;
  [[nodiscard]] json show(const Resource& resource, const json& record, const Call& call) const;
  [[nodiscard]] json shown(const Resource& resource, const json& record,
                           const Caller& caller) const;
  [[nodiscard]] bool is_visible(const json& record, const Caller& caller) const;

  Answer one(const Resource& resource, const Call& call);
  Answer create(const Resource& resource, const Call& call);
  Answer update(const Resource& resource, const Call& call, json& record);
  Answer tags(const Resource& resource, const Call& call, json& record);
  Answer quotas(const Call& call);
  json& found(const Resource& resource, const std::string& id, const Caller& caller);
  void touch(json& record);
  void check_revision(const Call& call, const json& record) const;
  void check_quota(const std::string& project_id, const std::string& resource,
                   int64_t more = 1) const;
  [[nodiscard]] int64_t quota(const std::string& project_id, const std::string& resource) const;
  [[nodiscard]] int64_t used(const std::string& project_id, const std::string& resource) const;

  // Each completes or changes an object, or throws Refusal and changes nothing.
  void make_network(json& network);
  void make_subnet(json& subnet);
  void make_port(json& port);
  void make_router(json& router);
  void make_floating_ip(json& floating_ip);
  void make_security_group(json& group);
  void make_rule(json& rule);
  void change_port_members(json& port, json changes);
  void change_routes(json& router, const json& routes);
  void change_floating_ip(json& floating_ip, const json& changes);
  void remove_record(const std::string& collection, json& record);

  // ports.cpp
  json& network_of(const json& object);
  [[nodiscard]] bool is_taken(const std::string& subnet_id, const std::string& address) const;
  json allocate(json& subnet, const std::string& wanted);
  json fixed_ips(const json& network, const json& wanted, const std::string& port_id);
  void check_pairs(const json& port, json& pairs) const;
  void check_groups(const json& groups) const;
  std::string default_group(const std::string& project_id);
  // routers.cpp
  Answer extra_routes(const Call& call, json& router, bool add);
  void check_routes(const json& router, const json& routes) const;
  [[nodiscard]] json full_router(const json& router) const;
  void associate(json& floating_ip, const json& port_id, const json& fixed_address);
  [[nodiscard]] std::string router_between(const json& port, const json& external_network) const;

  World& world_;
  std::string url_;
  std::map<std::string, Records> records_;
  std::map<std::string, std::map<std::string, int64_t>> quotas_;  // project -> resource -> limit
};

// The aliases of the extensions that Neutron 26 lists with the plugins of tests/openstack.
std::vector<std::string> network_extensions();

}  // namespace ccm::openstack_api

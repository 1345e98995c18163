// Networks, their subnets, and ports with their addresses.
#pragma once

#include "openstack_api/network/security_groups.hpp"
#include "openstack_api/network/store.hpp"

#include <string>

namespace ccm::openstack_api {

class Ports {
 public:
  Ports(NetworkStore& store, SecurityGroups& groups) : store_(store), groups_(groups) {}

  // Each completes or changes an object, or throws Refusal and changes nothing.
  static void make_network(json& network);
  void make_subnet(json& subnet);
  void make(json& port);
  void change(json& port, json changes);
  // Keeps a new one.
  json& add(const std::string& project_id, json members);

  json& network_of(const json& object);
  // Addresses on that network, as a port or a floating IP has them; `wanted` may be null.
  json fixed_ips(const json& network, const json& wanted, const std::string& port_id);

 private:
  [[nodiscard]] bool is_taken(const std::string& subnet_id, const std::string& address) const;
  json allocate(json& subnet, const std::string& wanted);
  static void check_pairs(const json& port, json& pairs);

  NetworkStore& store_;
  SecurityGroups& groups_;
};

}  // namespace ccm::openstack_api

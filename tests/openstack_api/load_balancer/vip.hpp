// The address of a load balancer: a port of Neutron's.
#pragma once

#include "openstack_api/network/network.hpp"
#include "openstack_api/world.hpp"

#include <string>

namespace ccm::openstack_api {

struct Vip {
  json port_id;
  json subnet_id;
  json network_id;
  std::string address;
  json additional = json::array();
};

// The address that a request for the load balancer `id` asks for. Throws Refusal.
Vip make_vip(Network& network, const json& wanted, const Caller& caller, const std::string& id);
// Something of Neutron's that the caller sees. Throws Refusal.
const json& visible_one(Network& network, const char* collection, const char* title,
                        const std::string& id, const Caller& caller);

}  // namespace ccm::openstack_api

// Routers with their extra routes.
#pragma once

#include "openstack_api/network/ports.hpp"
#include "openstack_api/network/store.hpp"
#include "openstack_api/world.hpp"

#include <cstddef>
#include <string>

namespace ccm::openstack_api {

class Routers {
 public:
  // `most_routes`: of one router.
  Routers(NetworkStore& store, Ports& ports, const size_t& most_routes)
      : store_(store), ports_(ports), most_routes_(most_routes) {}

  // Each completes or changes an object, or throws Refusal and changes nothing.
  void make(json& router);
  void change_routes(json& router, const json& routes) const;
  // add_extraroutes or remove_extraroutes.
  Answer extra_routes(const Call& call, json& router, bool add) const;
  // A port of the router, with the subnet's gateway address.
  void add_interface(const std::string& router_id, const std::string& subnet_id);

 private:
  void check_routes(const json& router, const json& routes) const;

  NetworkStore& store_;
  Ports& ports_;
  const size_t& most_routes_;
};

}  // namespace ccm::openstack_api

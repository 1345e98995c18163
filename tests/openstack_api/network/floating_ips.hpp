// Floating IPs.
#pragma once

#include "openstack_api/network/ports.hpp"
#include "openstack_api/network/store.hpp"

#include <string>

namespace ccm::openstack_api {

class FloatingIps {
 public:
  FloatingIps(NetworkStore& store, Ports& ports) : store_(store), ports_(ports) {}

  // Each completes or changes an object, or throws Refusal and changes nothing.
  void make(json& floating_ip);
  void change(json& floating_ip, const json& changes) const;
  // The port is about to be removed.
  void leave(const std::string& port_id);

 private:
  void associate(json& floating_ip, const json& port_id, const json& fixed_address) const;
  [[nodiscard]] std::string router_between(const json& port, const json& external_network) const;

  NetworkStore& store_;
  Ports& ports_;
};

}  // namespace ccm::openstack_api

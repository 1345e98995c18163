// The parts of a load balancer: what Octavia checks about them, and how they begin. Each function
// checks and throws Refusal, or adds without a check. `lb` is the load balancer's record.
#pragma once

#include "openstack_api/key_manager/key_manager.hpp"
#include "openstack_api/load_balancer/store.hpp"

#include <string>

namespace ccm::openstack_api {

class LoadBalancerParts {
 public:
  LoadBalancerParts(LoadBalancerStore& store, KeyManager& key_manager)
      : store_(store), key_manager_(key_manager) {}

  void check_listener(const json& listener, const json& lb) const;
  static void check_pool(const json& pool, const json& listener);
  void check_default_pool(const json& listener, const json& lb) const;
  static void check_monitor(const json& monitor, const std::string& pool_protocol);
  static void check_delay(const json& monitor);
  // By the provider's driver, which looks at members that are added to a pool.
  void check_families(const json& members, const json& pool) const;
  static void check_provider(const std::string& provider, const json& listener, const json& pool);

  json& add_listener(const json& wanted, const json& lb);
  json& add_pool(const json& wanted, const json& lb, json* listener);
  json& add_member(const json& wanted, const json& pool);
  json& add_monitor(const json& wanted, const json& pool);

 private:
  void check_conflict(const json& listener, const std::string& lb_id) const;

  LoadBalancerStore& store_;
  KeyManager& key_manager_;
};

}  // namespace ccm::openstack_api

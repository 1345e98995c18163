// The states that a load balancer and its parts go through. One that is changed is immutable until
// the change is done; what changes anything sets the time when that will be.
#pragma once

#include "openstack_api/load_balancer/settings.hpp"
#include "openstack_api/load_balancer/store.hpp"
#include "openstack_api/network/network.hpp"

#include <string>

namespace ccm::openstack_api {

class LoadBalancerStates {
 public:
  LoadBalancerStates(LoadBalancerStore& store, Network& network, LoadBalancingSettings& settings)
      : store_(store), network_(network), settings_(settings) {}

  // Refusal: a change is under way, or failed.
  static void check_mutable(const json& lb);
  static void check_pool_mutable(const json& pool);
  void begin_change(json& lb, const char* status, milliseconds time);
  // Puts the child and what is above it into PENDING_*, until that is done.
  void begin_child_change(json& child, const char* status);
  // Ends what is due.
  void advance();
  // As an administrator's hand in the database would.
  void set_status(const std::string& id, const std::string& status, const std::string& collection);
  void remove_load_balancer(const std::string& id);

 private:
  void end_change(json& lb, Outcome outcome);
  void fail_child(json& lb);

  LoadBalancerStore& store_;
  Network& network_;
  LoadBalancingSettings& settings_;
};

}  // namespace ccm::openstack_api

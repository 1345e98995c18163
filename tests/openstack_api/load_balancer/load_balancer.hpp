// Octavia v2: load balancers from one request or piece by piece, and the states that they go
// through.
#pragma once

#include "openstack_api/key_manager/key_manager.hpp"
#include "openstack_api/load_balancer/listing.hpp"
#include "openstack_api/load_balancer/parts.hpp"
#include "openstack_api/load_balancer/settings.hpp"
#include "openstack_api/load_balancer/states.hpp"
#include "openstack_api/load_balancer/store.hpp"
#include "openstack_api/network/network.hpp"
#include "openstack_api/records.hpp"
#include "openstack_api/world.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace ccm::openstack_api {

class LoadBalancing : public LoadBalancingSettings {
 public:
  // `url`: after the fake's, "/load-balancer".
  LoadBalancing(World& world, std::string url, Network& network, KeyManager& key_manager);
  LoadBalancing(const LoadBalancing&) = delete;  // its parts refer to each other
  LoadBalancing& operator=(const LoadBalancing&) = delete;

  // Failure: Refusal.
  Answer handle(const Call& call);

  void set_quota(const std::string& project_id, const std::string& resource, int64_t limit) {
    store_.set_quota(project_id, resource, limit);
  }
  // "loadbalancers", "listeners", "pools", "members", "healthmonitors".
  Records& records(const std::string& collection) { return store_.of(collection); }
  // As an administrator's hand in the database would.
  void set_status(const std::string& id, const std::string& status,
                  const std::string& collection = "loadbalancers") {
    states_.set_status(id, status, collection);
  }
  // Ends what is due.
  void advance() { states_.advance(); }

 private:
  Answer dispatch(const Call& call);
  Answer load_balancers(const Call& call);
  Answer create_load_balancer(const Call& call);
  void add_all(const json& listeners, const json& lb);
  Answer listeners(const Call& call);
  Answer pools(const Call& call);
  Answer members(const Call& call, json& pool);
  Answer one_member(const Call& call, const json& pool);
  Answer replace_members(const Call& call, json& pool);
  Answer monitors(const Call& call);
  Answer quotas(const Call& call);
  void check_member(const json& member, const Caller& caller) const;

  const std::string url_;
  Network& network_;
  LoadBalancerStore store_;
  LoadBalancerStates states_;
  LoadBalancerListing listing_{store_, *this};
  LoadBalancerParts parts_;
};

}  // namespace ccm::openstack_api

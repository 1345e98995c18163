// Octavia's reading calls: lists with filters and pages, single objects, the whole of a new load
// balancer, the status tree, the versions.
#pragma once

#include "openstack_api/load_balancer/settings.hpp"
#include "openstack_api/load_balancer/store.hpp"
#include "openstack_api/world.hpp"

#include <string>

namespace ccm::openstack_api {

class LoadBalancerListing {
 public:
  LoadBalancerListing(const LoadBalancerStore& store, const LoadBalancingSettings& settings)
      : store_(store), settings_(settings) {}

  // `parent`: the ID of what the records belong to; empty = any.
  [[nodiscard]] Answer list(const Call& call, const std::string& collection,
                            const std::string& parent) const;
  [[nodiscard]] json shown(const std::string& collection, const json& record) const;
  [[nodiscard]] json populated(const json& load_balancer) const;
  [[nodiscard]] json tree(const json& load_balancer) const;
  // `url`: the service's.
  [[nodiscard]] json versions(const std::string& url) const;

 private:
  const LoadBalancerStore& store_;
  const LoadBalancingSettings& settings_;
};

}  // namespace ccm::openstack_api

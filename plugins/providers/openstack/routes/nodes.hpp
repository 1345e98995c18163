// The cluster's Nodes, as far as they tell whose a route may be: from the host's cache. A kubelet
// chooses both, so they only say where to look in the cloud. [serial]
#pragma once

#include "router.hpp"

#include <ccm/kube.hpp>

#include <set>
#include <string>
#include <utility>

namespace ccm::openstack {

class RouteNodes {
 public:
  explicit RouteNodes(const Kube& kube);

  // Some Node has that range.
  [[nodiscard]] bool has_range(const std::string& destination) const;
  // A Node of that server has that range.
  [[nodiscard]] bool has(const std::string& destination, const std::string& server) const;

 private:
  std::set<std::pair<std::string, std::string>> ranges_;  // in normal form, with the server's ID
};

}  // namespace ccm::openstack

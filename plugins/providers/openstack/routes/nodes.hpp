// The cluster's Nodes, as far as routes lead to them: from the host's cache. [serial]
#pragma once

#include "router.hpp"

#include <ccm/instances.hpp>
#include <ccm/kube.hpp>

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack {

struct RouteNode {
  std::string name;
  std::vector<NodeAddress> addresses;
  std::set<std::string> ranges;  // in normal form
};

class RouteNodes {
 public:
  explicit RouteNodes(const Kube& kube);

  // The Node to which the route leads: it has the next hop among its addresses, of whichever type
  // (OS-179). Of several, which a stale Node makes, the one with the range. Null = none.
  [[nodiscard]] const RouteNode* target_of(const ExtraRoute& route) const;

 private:
  std::vector<RouteNode> nodes_;
  std::multimap<std::string, std::size_t> by_address_;
};

// The address to which the route to a range of a Node with these addresses leads: the first
// InternalIP of the range's family (OS-182, OS-193); empty = there is none.
std::string next_hop_of(const std::vector<NodeAddress>& addresses, const std::string& range);

}  // namespace ccm::openstack

// The record of this cluster's routes, in the router's tags: a route of Neutron has no room for an
// owner, and a destination or a next hop proves nothing (OS-181, OS-425). Any thread.
//
// A tag is "ccm-routes:CLUSTER:MARKS". CLUSTER is 8 characters made of the cluster's name, so that
// clusters share a router; each 8 of MARKS stand for one route. A mark is written before its route,
// and outlives it for a while: a mark without a route is no harm.
#pragma once

#include "router.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

class RouteMarks {
 public:
  // `tags`: all that the router has.
  RouteMarks(std::string_view cluster, const std::vector<std::string>& tags);

  // Whether the record names the route.
  [[nodiscard]] bool has(const ExtraRoute& route) const;

  // Tags to write first, and then to remove.
  struct Change {
    std::vector<std::string> add;
    std::vector<std::string> remove;
  };
  // After the change the record names all of `routes`. Nothing when it does so already; otherwise
  // tags with room are replaced, and forget what is not in `routes`. `longest`: a tag.
  [[nodiscard]] Change record(const std::set<ExtraRoute>& routes, std::size_t longest) const;

 private:
  [[nodiscard]] std::string mark_of(const ExtraRoute& route) const;

  std::string cluster_;
  std::string prefix_;
  std::map<std::string, std::set<std::string>> tags_;  // the marks of each
};

}  // namespace ccm::openstack

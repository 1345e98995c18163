// How the fake of Octavia behaves.
#pragma once

#include "openstack_api/http.hpp"

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack_api {

// The end of a change. kError: of a new load balancer, or of its own change; when it is one of a
// part, then of that part.
enum class Outcome { kActive, kError, kStuck };

struct LoadBalancingSettings {
  milliseconds create_time{0};   // of a load balancer
  milliseconds update_time{0};   // of any other change
  milliseconds delete_time{0};   // of a load balancer
  std::deque<Outcome> outcomes;  // of the next changes, the first one first; then all end well
  std::vector<std::string> providers = {"amphora", "octavia"};
  int newest_version = 30;  // 2.N
  size_t page_size = 1000;
  bool allow_filtering = true;  // as in octavia.conf; false: lists take no notice of filters
  std::set<std::string> flavors;
  std::set<std::string> availability_zones;
};

}  // namespace ccm::openstack_api

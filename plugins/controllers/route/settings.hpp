// This controller's flags, checked (ROUTE-1..3, HOST-13, HOST-15).
#pragma once

#include <ccm/config.hpp>
#include <ccm/routable_ranges.hpp>
#include <ccm/status.hpp>

#include <chrono>
#include <string>

namespace ccm::route {

struct Settings {
  RoutableRanges ranges;  // by --cluster-cidr: one, or one of each family
  std::string cluster_name;
  std::chrono::milliseconds audit_period{0};
};

// --configure-cloud-routes. [create]
bool routes_wanted(const Config& config);

// invalid_argument with the fault in one line. [create]
Result<Settings> read_settings(const Config& config);

}  // namespace ccm::route

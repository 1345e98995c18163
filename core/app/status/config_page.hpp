// /configz: the configuration in force, in the shape of upstream's (HOST-97). Pure.
#pragma once

#include "app/flags/options.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace ccm::app {

// Where a flag that was not given means something else than upstream's default.
struct ConfigInForce {
  double qps = -1;                        // each client's; negative: no limit
  int burst = -1;                         // likewise
  std::optional<std::size_t> node_syncs;  // workers of the controllers, once they are set up
  std::optional<std::size_t> node_lifecycle_syncs;
  std::optional<std::size_t> service_syncs;
};

// One JSON object: {"cloudcontrollermanager.config.k8s.io": {...}}.
std::string config_json(const Options& options, const ConfigInForce& in_force);

}  // namespace ccm::app

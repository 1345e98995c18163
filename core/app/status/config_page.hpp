// /configz: the configuration in force, in the shape of upstream's (HOST-97). Pure.
#pragma once

#include "app/flags/options.hpp"

#include <string>

namespace ccm::app {

// One JSON object: {"cloudcontrollermanager.config.k8s.io": {...}}.
std::string config_json(const Options& options);

}  // namespace ccm::app

// Holds what the suites send and what the fake answers against DigitalOcean's own description, when
// there is a copy of it: the file that CCM_DO_OPENAPI names, in the environment or when the build
// was configured.
#pragma once

#include "digitalocean_api/api.hpp"

#include <string>
#include <vector>

namespace ccm::digitalocean_api {

[[nodiscard]] bool has_description();
// The faults of one exchange, one line each; empty = none, or no description.
// Throws std::runtime_error when the description cannot be read.
std::vector<std::string> contract_faults(const Exchange& exchange);

}  // namespace ccm::digitalocean_api

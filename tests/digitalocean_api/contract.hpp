// Holds what the suites send and what the fake answers against DigitalOcean's own description of
// its API: the part in description.json, or the whole in the file that CCM_DO_OPENAPI in the
// environment names.
#pragma once

#include "digitalocean_api/api.hpp"

#include <string>
#include <vector>

namespace ccm::digitalocean_api {

// The faults of one exchange, one line each; empty = none.
// Throws std::runtime_error when the description cannot be read.
std::vector<std::string> contract_faults(const Exchange& exchange);

}  // namespace ccm::digitalocean_api

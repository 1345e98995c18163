// Droplets in DigitalOcean's JSON as ccm::Instance, and provider IDs (DO-63..DO-82). Any thread;
// takes any bytes.
#pragma once

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::digitalocean {

inline constexpr std::string_view kProviderIdPrefix = "digitalocean://";

// The droplet's number. Failures, with the texts of DO-64: implemented_elsewhere for another
// cloud's ID; invalid_argument for a malformed one of this cloud.
Result<int64_t> droplet_id(std::string_view provider_id);

struct DropletPage {
  std::vector<Instance> droplets;
  int64_t total = 0;  // of the whole listing (meta.total, DO-326)
};

// Failure: data_loss for an unusable answer. A droplet without a private IPv4 address has no
// addresses at all (DO-76): a listing has no place for a failure, and must not fail for the others.
Result<DropletPage> parse_droplets(std::string_view json_text);
Result<Instance> parse_droplet(std::string_view json_text);

}  // namespace ccm::digitalocean

// The text of --cloud-config: machines, and addresses for load balancers. Any thread.
#pragma once

#include "address_pool.hpp"

#include <ccm/instances.hpp>
#include <ccm/status.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace ccm::static_provider {

inline constexpr std::string_view kProviderIdPrefix = "static://";

struct Configuration {
  std::optional<std::vector<Instance>> nodes;             // nothing: Nodes are somebody else's
  std::optional<std::vector<AddressPool>> address_pools;  // nothing: load balancers are
};

// YAML or JSON. Failure: invalid_argument, with the place and what is wanted there.
Result<Configuration> parse_configuration(std::string_view text);

}  // namespace ccm::static_provider

// Provider IDs: "openstack:///UUID", and with the region "openstack://REGION/UUID" (OS-144,
// OS-145). Any thread.
#pragma once

#include <ccm/status.hpp>

#include <string>
#include <string_view>

namespace ccm::openstack {

inline constexpr std::string_view kProviderIdPrefix = "openstack://";

struct ProviderId {
  std::string region;  // empty when it names none
  std::string server;
};

inline std::string provider_id(const std::string& region, const std::string& server) {
  return std::string(kProviderIdPrefix) + region + "/" + server;
}

// Failures: implemented_elsewhere for another provider's, invalid_argument for what is none.
Result<ProviderId> parse_provider_id(std::string_view text);

}  // namespace ccm::openstack

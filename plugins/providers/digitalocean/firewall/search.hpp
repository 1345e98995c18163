// The account's firewalls of one name. [serial]
#pragma once

#include "digitalocean/api.hpp"
#include "digitalocean/firewall/firewall.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ccm::digitalocean {

// Failures, and `failed_code`: those of Api::list.
Task<Result<std::vector<ExistingFirewall>>> firewalls_named(Api& api, Ctx ctx, std::string name,
                                                            uint32_t* failed_code = nullptr);

}  // namespace ccm::digitalocean

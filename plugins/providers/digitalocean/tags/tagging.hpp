// Adds tags to resources and removes them (DO-280, DO-353). [serial]
#pragma once

#include "digitalocean/api.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <vector>

namespace ccm::digitalocean {

enum class TagChange { add, remove };

// One call for all resources. A missing tag is created first when it is to be added; nothing to do
// when it is to be removed. `resource_type`: load_balancer, droplet.
Task<Status> change_tag(Api& api, Ctx ctx, TagChange change, std::string tag,
                        std::string resource_type, std::vector<std::string> ids);

}  // namespace ccm::digitalocean

// The interfaces that this host offers to components: a manifest's "needs" is checked against them.
#pragma once

#include <span>
#include <string_view>

namespace ccm::plugin {

// Ids of the host services and of the cloud interfaces that the broker hands to controllers.
std::span<const std::string_view> host_interfaces();

}  // namespace ccm::plugin

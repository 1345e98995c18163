// "Did you mean ...": the known name closest to what was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ccm::openstack {

// " (did you mean NAME?)", or an empty text when none of them is close. Case does not count.
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> known);

}  // namespace ccm::openstack

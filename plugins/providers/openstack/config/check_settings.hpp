// Mistakes in the settings that show without asking the cloud.
#pragma once

#include "findings.hpp"
#include "settings.hpp"

namespace ccm::openstack {

void check_settings(const Settings& settings, const OptionLines& lines, Findings& findings);

}  // namespace ccm::openstack

// Options of cloud.conf that this provider does not obey yet. Any thread.
#pragma once

#include "config/settings.hpp"

#include <ccm/status.hpp>

namespace ccm::openstack {

// invalid_argument, one line that names the option: a user's name in the URL, version 2.0 of
// Keystone (OS-78).
Status refuse_unsupported(const GlobalSettings& global);

}  // namespace ccm::openstack

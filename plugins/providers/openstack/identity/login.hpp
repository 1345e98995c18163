// From the options of [Global] to the request that logs in at Keystone (OS-65..OS-78). Any thread.
#pragma once

#include "openstack/config/settings.hpp"

#include <ccm/status.hpp>

#include <string>

namespace ccm::openstack {

struct LoginRequest {
  Secret body;              // JSON, for POST auth/tokens
  std::string description;  // "user demo by password, project demo": for logs and errors
};

// Failure: invalid_argument, one line that names the options.
Result<LoginRequest> login_request(const GlobalSettings& global);

}  // namespace ccm::openstack

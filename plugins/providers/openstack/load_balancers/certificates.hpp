// References to certificates in Barbican (OS-250, OS-388). [serial]
#pragma once

#include "openstack/api.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>

namespace ccm::openstack {

// Whether Barbican has it: its last two parts are "containers" or "secrets" and an ID. Failure:
// invalid_spec when it has none, or the reference has another form; the cloud's own failures.
Task<Status> check_certificate(Api& api, Ctx ctx, std::string reference);

}  // namespace ccm::openstack

// Orders and questions of suites in other processes to the program openstack-api: requests to
// /control.
// Bodies are JSON; control.cpp has the names of the settings, faults.hpp the members of a fault.
//
// - POST /control/reset: as on the first day
// - PUT /control/faults: a list of rules, instead of those before
// - PUT /control/settings: {"latency_ms": 50}
// - DELETE /control/tokens: no token is valid any more
// - GET /control/calls: {"total", "writes", "recent": [{"method", "target", "status"}]}
// - DELETE /control/calls: they are counted from now on
// - POST /control/servers: {"count": 100, "prefix": "node-", "network": "nodes"}
// - DELETE /control/servers/NAME
// - PATCH /control/records/COLLECTION/ID: members of a record of Neutron or Octavia, or of a server
#pragma once

#include "openstack_api/server.hpp"

#include <optional>

namespace ccm::openstack_api {

// Nothing when the request is none to /control.
std::optional<Answer> control(const Request& request, Server& server);

}  // namespace ccm::openstack_api

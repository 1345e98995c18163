// The addresses of a Node, out of what Nova and Neutron say of its server (OS-164..OS-173). Any
// thread.
#pragma once

#include "openstack/config/settings.hpp"
#include "openstack/network/ports.hpp"
#include "server.hpp"

#include <ccm/instances.hpp>

#include <vector>

namespace ccm::openstack {

// In the order in which the Node has them: that of the Go manager.
std::vector<NodeAddress> node_addresses(const Server& server, const ServerPorts& ports,
                                        const NetworkingSettings& settings);

}  // namespace ccm::openstack

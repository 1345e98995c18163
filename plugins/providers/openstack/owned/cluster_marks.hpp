// Which cluster and which Service an object of the cloud names in its marks (OS-220..OS-225,
// OS-307). Any thread; takes any bytes.
#pragma once

#include "openstack/load_balancers/existing.hpp"
#include "openstack/load_balancers/service_marks.hpp"
#include "openstack/network/floating_ips.hpp"

#include <ccm/owned.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::openstack {

struct NamedSecurityGroup {
  std::string id;
  std::string name;
  std::string description;
};

// The object as one of the cluster with these names, or of no cluster; nothing for one of another
// cluster, or that no manager made.
std::optional<OwnedObject> owned_load_balancer(const ExistingLoadBalancer& balancer,
                                               const std::vector<std::string>& clusters);
std::optional<OwnedObject> owned_floating_ip(const FloatingIp& address,
                                             const std::vector<std::string>& clusters);
std::optional<OwnedObject> owned_security_group(const NamedSecurityGroup& group,
                                                const std::vector<std::string>& clusters);

}  // namespace ccm::openstack

// Many servers at once.
#pragma once

#include "openstack_api/cloud.hpp"

#include <string>
#include <vector>

namespace ccm::openstack_api {

// Adds servers of the user demo, PREFIX0, PREFIX1, ..., on a network with room for 65,000, which is
// made when it is not there. `facts`: what populate() returned. Returns their IDs.
inline std::vector<std::string> add_servers(Cloud& cloud, const json& facts,
                                            const std::string& prefix, int64_t count,
                                            const std::string& network_name = "nodes") {
  Region& region = cloud.region();
  const std::string demo = facts.at("projects").at("demo");
  const json* network = region.network.records("networks").find_by("name", network_name);
  if (network == nullptr) {
    network = &region.network.add("networks", demo, {{"name", network_name}});
    region.network.add("subnets", demo,
                       {{"name", network_name},
                        {"network_id", network->at("id")},
                        {"ip_version", 4},
                        {"cidr", "10.64.0.0/16"}});
  }
  region.network.set_quota(demo, "port", -1);
  std::vector<std::string> ids;
  for (int64_t i = 0; i < count; ++i) {
    const json& server =
        region.compute.add_server(demo, facts.at("users").at("demo"), prefix + std::to_string(i),
                                  facts.at("ids").at("m1.tiny"), {network->at("id")});
    ids.push_back(server.at("id"));
  }
  return ids;
}

}  // namespace ccm::openstack_api

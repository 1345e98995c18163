// The API server and the cloud as a controller finds them when it begins: Nodes in each state of
// their life, Services with and without a load balancer. Plain values.
#pragma once

#include "machines.hpp"

#include <ccm/testing/fake_host.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace ccm::conformance {

using WorldJson = nlohmann::json;

struct WorldObject {
  std::string resource;  // "v1/nodes"
  WorldJson json;
};

// Nodes and Services.
std::vector<WorldObject> usual_objects();
// One of any other resource that a controller watches.
WorldObject object_of(const std::string& resource, const std::string& name);
// The machines and load balancers to these.
void fill_cloud(testing::FakeHost& host, Machines& machines);
// Flags of the host, as a cluster sets them that wants everything done.
void set_host_flags(testing::FakeHost& host);

// The form of a world, without what each run may choose otherwise: names of members and how many
// elements there are, no values.
std::string form_of(const WorldJson& value, const std::string& at = {});

}  // namespace ccm::conformance

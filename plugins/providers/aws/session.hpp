// What the provider lends to the controllers of this plugin, so that all have one log-in, one rate
// of calls and one listing of instances. [serial]
#pragma once

#include "api/client.hpp"
#include "cluster.hpp"
#include "nodes/ec2_instances.hpp"

#include <ccm/host.hpp>

namespace ccm::aws {

// Filled in by the provider when it is made; usable once it has logged in, which is before any
// controller is set up, and until it ends, which is after all of them.
struct Session {
  explicit Session(Host& /*host*/) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Client* client = nullptr;
  Ec2Instances* instances = nullptr;
  const Cluster* cluster = nullptr;
};

}  // namespace ccm::aws

// Subnets, route tables and zones, for the choice of subnets (AWS-75 to 79). [serial]
#pragma once

#include "aws/api/client.hpp"
#include "aws/cluster.hpp"
#include "aws/nodes/zones.hpp"
#include "snapshot.hpp"
#include "subnets.hpp"

#include <ccm/host.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>

namespace ccm::aws {

class Vpc {
 public:
  Vpc(Host& host, Client& client, const Cluster& cluster, Zones& zones);

  // Two calls, or none when they were made at most `max_age` ago; one more when there is a subnet
  // in a zone that is not known. Failures: those of Client::pages.
  Task<Result<Snapshot<Network>::Ptr>> get(Ctx ctx, std::chrono::milliseconds max_age);
  // What was read did not do: the next one reads anew.
  void forget() { network_.forget(); }

 private:
  Task<Status> read(Ctx ctx, Network& out);
  Task<Status> read_subnets(Ctx ctx, Network& out);
  Task<Status> read_tables(Ctx ctx, Network& out);
  Task<Status> learn_zones(Ctx ctx, Network& out);

  Client& client_;
  const Cluster& cluster_;
  Zones& zones_;
  Snapshot<Network> network_;
};

}  // namespace ccm::aws

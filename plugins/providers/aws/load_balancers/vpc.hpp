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
#include <set>
#include <string>
#include <vector>

namespace ccm::aws {

class Vpc {
 public:
  Vpc(Host& host, Client& client, const Cluster& cluster, Zones& zones);

  // Subnets of at most `max_age`, route tables of at most `table_age`: these are also read when a
  // subnet has come or gone. Two calls, one, or none; one more when there is a subnet in a zone
  // that is not known. Failures: those of Client::pages.
  Task<Result<Snapshot<Network>::Ptr>> get(Ctx ctx, std::chrono::milliseconds max_age,
                                           std::chrono::milliseconds table_age);
  // What was read did not do: the next one reads anew.
  void forget() {
    network_.forget();
    table_subnets_.clear();
  }

 private:
  Task<Status> read(Ctx ctx, Network& out);
  Task<Status> read_subnets(Ctx ctx, Network& out);
  Task<Status> read_tables(Ctx ctx, Network& out);
  Task<Status> learn_zones(Ctx ctx, Network& out);

  Host& host_;
  Client& client_;
  const Cluster& cluster_;
  Zones& zones_;
  Snapshot<Network> network_;
  std::vector<RouteTable> tables_;
  std::chrono::milliseconds tables_at_{0};
  std::set<std::string> table_subnets_;  // that there were when tables_ was read; none = it was not
};

}  // namespace ccm::aws

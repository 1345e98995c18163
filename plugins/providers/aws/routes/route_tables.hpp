// Route tables of the VPC as EC2 shows them, and changes of one route of one table. [serial]
#pragma once

#include "aws/api/client.hpp"
#include "aws/cluster.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <string>
#include <vector>

namespace ccm::aws {

struct TableRoute {
  std::string destination;  // IPv4 or IPv6
  std::string instance;     // its target; empty when it is a card without instance, or no machine
  std::string card;         // "eni-..."; empty when the target is no machine
  bool blackhole = false;   // the target is gone
};

struct PodRouteTable {
  std::string id;
  std::vector<TableRoute> routes;  // not those to prefix lists

  // nullptr when it has none to that destination.
  [[nodiscard]] const TableRoute* find(const std::string& destination) const;
};

// Where a route leads: the instance, or one of its cards when it has several (AWS-121).
struct RouteTarget {
  std::string instance;
  std::string card;  // empty: by the instance
};

class RouteTables {
 public:
  RouteTables(Client& client, const Cluster& cluster) : client_(client), cluster_(cluster) {}
  RouteTables(const RouteTables&) = delete;
  RouteTables& operator=(const RouteTables&) = delete;

  // The table of that id; with an empty one all tables of the VPC that have the cluster's tag, such
  // as one for each zone. Failures: failed_precondition when there is none; those of Client::pages.
  Task<Result<std::vector<PodRouteTable>>> read(Ctx ctx, std::string id);

  // Makes the route, or leads one that is there elsewhere (`replace`).
  Task<Status> put(Ctx ctx, std::string table, std::string destination, RouteTarget target,
                   bool replace);
  // Success also when it is gone already.
  Task<Status> remove(Ctx ctx, std::string table, std::string destination);

 private:
  Client& client_;
  const Cluster& cluster_;
};

}  // namespace ccm::aws

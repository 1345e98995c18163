// Routes to the Pod ranges of Nodes in the VPC's route tables, by the rules of ccm/provider.hpp
// (AWS-118 to AWS-126). [serial]
#pragma once

#include "aws/config/settings.hpp"
#include "aws/nodes/ec2_instances.hpp"
#include "route_tables.hpp"

#include <ccm/host.hpp>
#include <ccm/routable_ranges.hpp>
#include <ccm/route.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <map>
#include <string>
#include <vector>

namespace ccm::aws {

class Routes {
 public:
  using Statuses = Result<std::vector<Status>>;

  Routes(Host& host, Client& client, const Settings& settings, const Cluster& cluster,
         Ec2Instances& instances);
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;

  // All routes to addresses. Of several tables a route counts once; one that not all of them have
  // is listed without a target, so that it is made again. Owned are those within --cluster-cidr
  // that lead to an instance with the cluster's tag, or to a machine that is gone: all else is
  // somebody's, and stays (AWS-120, AWS-124).
  Task<Result<std::vector<Route>>> list(Ctx ctx, std::string cluster_name);
  // In each table only what differs is written, and one that cannot be written keeps no other from
  // it: the outcome is the first failure. An instance that is not the cluster's gets no route
  // (check_of_cluster). A route to another owned target is replaced, so
  // that the range is never without one. Before a route is made, the check of source and
  // destination of its card is switched off, unless it is off.
  Task<Statuses> apply(Ctx ctx, std::string cluster_name, std::vector<Route> removals,
                       std::vector<Route> additions);
  // EC2 does not tell the limit of a table.
  [[nodiscard]] static RouteLimits limits();

 private:
  struct Known;  // tables, and the instances behind their routes and behind additions
  Task<Result<Known>> read(Ctx ctx, const std::vector<Route>& additions);
  [[nodiscard]] bool is_owned(const TableRoute& route, const InstanceMap& instances) const;
  // One that fails stops no other.
  Task<Status> add(Ctx ctx, const Known& known, const Route& route, Status& outcome);
  Task<Status> added(Ctx ctx, const Known& known, const Route& route);
  Task<Status> added_to(Ctx ctx, const Known& known, const PodRouteTable& table,
                        std::string destination, RouteTarget target);
  Task<Status> remove(Ctx ctx, const Known& known, const Route& route, Status& outcome);
  Task<Status> removed(Ctx ctx, const Known& known, const Route& route);
  Task<Status> switch_check_off(Ctx ctx, const Ec2Instance& instance);
  void warn_of_fill(const PodRouteTable& table);

  Host& host_;
  Client& client_;
  const Settings& settings_;
  const Cluster& cluster_;
  Ec2Instances& instances_;
  RouteTables tables_;
  const RoutableRanges ranges_;
  std::map<std::string, size_t> warned_of_;  // tables that are nearly full, and how full
};

}  // namespace ccm::aws

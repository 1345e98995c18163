// Routes to the Pod ranges of Nodes, as extra routes of a router, by the rules of ccm/provider.hpp
// (OS-177..OS-195). [serial]
#pragma once

#include "address_pairs.hpp"
#include "marks.hpp"
#include "nodes.hpp"
#include "openstack/api.hpp"
#include "router.hpp"

#include <ccm/host.hpp>
#include <ccm/owned.hpp>
#include <ccm/routable_ranges.hpp>
#include <ccm/route.hpp>
#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ccm::openstack {

class Routes {
 public:
  using Statuses = Result<std::vector<Status>>;

  Routes(Host& host, Api& api);
  Routes(const Routes&) = delete;
  Routes& operator=(const Routes&) = delete;

  void configure(const std::string& router_id);

  // All routes of the router, with their next hops, of which the host knows the Nodes. Owned are
  // those that the router's tags record (marks.hpp), and those within --cluster-cidr or
  // --additional-pod-cidrs that lead to the server of a Node which has the range: these are
  // recorded now. From time to time it also sees to address pairs that are missing (OS-195).
  Task<Result<std::vector<Route>>> list(Ctx ctx, std::string cluster_name);
  // Address pairs and the record first, then the routes; one call for all removals, and one for all
  // additions unless the router refuses some of them.
  Task<Statuses> apply(Ctx ctx, std::string cluster_name, std::vector<Route> removals,
                       std::vector<Route> additions);
  // For tools, without the Nodes, and without changing the record: the routes that the record of
  // one of these clusters names; none without a router.
  Task<Result<std::vector<OwnedObject>>> recorded(Ctx ctx, std::vector<std::string> clusters);
  // Success also when it is gone already. Failure: "NotOwned" when the record does not name it.
  Task<Status> remove_recorded(Ctx ctx, std::vector<std::string> clusters, OwnedObject object);
  // The router does not tell how many it takes.
  [[nodiscard]] static RouteLimits limits();

 private:
  struct Addition {
    ExtraRoute route;
    std::string server;
    std::vector<std::string> addresses;  // next hops that may be, the best one first
    Status status;                       // a failure so far
    bool paired = false;                 // this batch has added the range to the port's pairs
  };
  struct Batch {
    RouterFeatures features;
    std::set<ExtraRoute> owned;    // routes of the router before it
    std::set<ExtraRoute> foreign;  // the others
    std::vector<ExtraRoute> removals;
    std::vector<ExtraRoute> gone;  // those that were removed
    std::vector<Addition> additions;
    std::map<std::string, PairPort> ports;  // by address
    std::vector<Cidr> subnets;              // to which the router is connected
  };

  // The name by which the record knows this cluster.
  Task<Result<std::string>> cluster(Ctx ctx, std::string cluster_name);
  [[nodiscard]] bool is_ours(const ExtraRoute& route, const RouteMarks& marks) const;
  // Routes that lead to the server of a Node with that range become known.
  Task<Status> recognise(Ctx ctx, const Router& router, const RouteNodes& nodes,
                         const RouteMarks& marks);
  Task<Status> record(Ctx ctx, const RouterFeatures& features, const RouteMarks& marks,
                      std::set<ExtraRoute> routes);
  Task<void> adopt(Ctx ctx, const RouterFeatures& features, const Router& router,
                   const RouteMarks& marks);

  // Address pairs of the ports to which routes lead. find_ports() fills in ports and subnets.
  Task<Status> find_ports(Ctx ctx, Batch& batch, std::vector<std::string> addresses,
                          std::vector<std::string> servers);
  static void choose_next_hop(const Batch& batch, Addition& addition);
  Task<void> audit_pairs(Ctx ctx, const RouterFeatures& features, const Router& router,
                         const RouteNodes& nodes, const RouteMarks& marks);
  Task<void> add_pairs(Ctx ctx, Batch& batch);
  Task<Status> add_pair(Ctx ctx, const Batch& batch, const std::vector<Addition*>& same_port);
  Task<void> remove_pairs(Ctx ctx, const Batch& batch);
  Task<Status> remove_pair(Ctx ctx, const Batch& batch, const std::string& address,
                           PairChange change);

  // Changes of the router's routes.
  static Batch make_batch(const std::vector<Route>& removals, const std::vector<Route>& additions);
  Task<Status> prepare(Ctx ctx, std::string cluster_name, Batch& batch);
  Task<Status> remove(Ctx ctx, Batch& batch);
  Task<void> add(Ctx ctx, Batch& batch);

  Host& host_;
  RouterApi router_;
  AddressPairs pairs_;
  std::optional<std::string> cluster_;
  const RoutableRanges ranges_;
  std::set<ExtraRoute> known_;  // ours, whether the tags record them or not
  // Routes to a Node's range that lead elsewhere, until the next audit.
  std::set<ExtraRoute> strangers_;
  milliseconds strangers_until_{0};
  bool record_failed_ = false;  // and it was said
  milliseconds audit_at_{0};    // the next one begins
  std::size_t audited_ = 0;     // routes of the one that runs
};

}  // namespace ccm::openstack

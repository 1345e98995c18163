// The provider's routes for all controllers: every operation has a deadline and is counted, one
// `apply` runs at a time, the removal of many routes passes the brake, and routes lead only where
// they may (RouteTargets). Changes that a controller requests together are judged together and then
// made in batches of the provider's size. A batch that the provider never completes loses its lock
// after a grace period; then the table is listed before anything else is changed
// (docs/decisions/0010). Loop thread.
#pragma once

#include "cloud/broker/key_locks.hpp"
#include "cloud/broker/provider_timeouts.hpp"
#include "cloud/broker/route_changes.hpp"
#include "cloud/broker/route_targets.hpp"
#include "cloud/deletion/absence_brake.hpp"
#include "plugin/live_component.hpp"

#include <ccm/status.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ccm::cloud {

struct RouteBatch;

// The known state of one route of a Node, for pages.
struct RouteReport {
  std::string destination;
  bool present = false;  // it was in the cloud's last listing
  Status failure;        // its last change's, while that fails; is_held() by the brake
  uint32_t attempts = 0;
  std::chrono::nanoseconds since{0};  // it has this state
};

class RoutesBroker {
 public:
  struct Changes {
    std::string cluster_name;
    std::vector<Route> removals;
    std::vector<Route> additions;
  };

  // Whether this process deleted the Node of that name lately: its instance was proven gone, so its
  // routes need no brake.
  using NodeDeleted = std::function<bool(const std::string& name)>;

  // `brake` must outlive it.
  RoutesBroker(std::shared_ptr<plugin::LiveComponent> provider, ccm_interface interface,
               ProviderTimeouts timeouts, AbsenceBrake& brake,
               std::unique_ptr<RouteTargets> targets, NodeDeleted node_deleted = {});
  // The provider has the two functions without which there are no routes.
  [[nodiscard]] bool usable() const { return table_.list != nullptr && table_.apply != nullptr; }

  // The end of `context` ends each operation; one that waits for its lock learns of it then. This
  // object outlives them. The listed routes have the Nodes to which they lead.
  Task<Result<std::vector<Route>>> list(std::string cluster_name,
                                        std::shared_ptr<plugin::Context> context);
  // The outcome of each change, removals first. A route that is not owned is never removed
  // (failed_precondition "NotOwned"); a route that the brake holds is failed_precondition
  // "DeletionBrakeEngaged"; one that may not be has the status of RouteTargets::admit(); all other
  // changes are made, until a batch fails as a whole: that batch
  // and those after it have its failure, which is the operation's when nothing was made before.
  // While a batch outlives its ctx inside the provider, and before the listing that has to follow
  // then: unavailable/waiting "OperationNotCompleted".
  Task<Result<std::vector<Status>>> apply(Changes changes,
                                          std::shared_ptr<plugin::Context> context);
  // The provider's limits, except for the size of a batch: callers of this broker may use any.
  Task<Result<RouteLimits>> limits(std::shared_ptr<plugin::Context> context);

  // This cluster's routes to that Node, and those that could not be made or removed.
  [[nodiscard]] std::vector<RouteReport> routes_of(const std::string& node) const;

 private:
  struct Request;
  void listed(std::vector<Route>& routes);
  void judge_removals(Request& request);
  void judge_additions(Request& request);
  [[nodiscard]] bool of_deleted_node(const Route& route) const;
  Task<Result<RouteLimits>> ask_limits(std::shared_ptr<plugin::Context> context);
  // Before the first apply: the provider may have no limits of its own.
  Task<Status> learn_limits(std::shared_ptr<plugin::Context> context);
  Task<Result<std::vector<Status>>> call(const Request& request, const RouteBatch& batch,
                                         KeyLocks::Lock& lock);
  void took(Request& request, const RouteBatch& batch, const std::vector<Status>& statuses);
  void failed(Request& request, std::size_t batch, const Status& status);
  enum class Change { addition, removal };
  // A change that failed, by Node and destination; remembered for an hour.
  struct Failure {
    Change change = Change::addition;
    Status status;
    uint32_t attempts = 0;
    runtime::TimePoint since;
    runtime::TimePoint last;
  };
  void note_outcome(const Route& route, Change change, const Status& status);
  void forget_made_changes();
  void forget_old_failures();

  const std::shared_ptr<plugin::LiveComponent> provider_;
  void* const self_;
  const ccm_cloud_routes table_;  // functions beyond its size are NULL
  ProviderTimeouts timeouts_;
  AbsenceBrake& brake_;
  const std::unique_ptr<RouteTargets> targets_;
  const NodeDeleted node_deleted_;
  std::vector<Route> owned_;           // by the last listing
  std::optional<int64_t> batch_size_;  // by the provider's last answer
  bool by_address_ = false;            // likewise: its routes lead to addresses
  runtime::TimePoint listed_;
  std::map<std::pair<std::string, std::string>, Failure> failures_;
  KeyLocks locks_;
};

}  // namespace ccm::cloud

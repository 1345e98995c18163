// node-route-controller: maintains a route in the cloud to each range in spec.podCIDRs of each
// Node, and the condition NetworkUnavailable that reports it (ROUTE-1..36). [serial]
//
// The cloud has one table, so there is one key: a run lists it, compares it with all Nodes and
// sends the whole difference to the cloud as one batch. Changes of Nodes start a run, and so does
// the audit period; changes during a run are in the next one.
#pragma once

#include "changes.hpp"
#include "conditions.hpp"
#include "listing_check.hpp"
#include "node_state.hpp"
#include "notices.hpp"
#include "plan.hpp"
#include "retries.hpp"
#include "route_delay.hpp"
#include "settings.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ccm::route {

inline constexpr std::string_view kNodes = "v1/nodes";

class Controller {
 public:
  explicit Controller(Host& host);

  // Unimplemented without --configure-cloud-routes or when the provider has no routes (ROUTE-1);
  // invalid_argument for an unusable --cluster-cidr (ROUTE-2, 3, TRAP-1).
  Status setup(Setup& setup);
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request);

 private:
  // One run.
  struct Run {
    milliseconds begun{0};
    std::vector<Route> table;
    std::vector<NodeState> nodes;
    std::set<std::string> unseen;  // existing Nodes that the cache lacks
    Plan plan;
    std::size_t added = 0;
    std::size_t removed = 0;
    std::size_t held = 0;  // removals that the brake refused
    Status held_status;
    Status full_status;  // the cloud's message when the table was full
    Status outcome;      // a batch with unknown results
  };

  // When a run begins.
  void on_event(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  [[nodiscard]] Result<ReconcileResult> in_pause(milliseconds left) const;
  Result<ReconcileResult> conclude(milliseconds begun, Status status);
  // MET-8: what began the run, and what it did.
  void count(const Run& run, const Status& status, bool node_change) const;

  // A run: the cloud's table against all Nodes, the difference as one batch, then the conditions.
  Task<Status> sync(Ctx ctx, Run& run);
  Task<void> refresh_limits(Ctx ctx);
  void read_nodes(Run& run) const;
  [[nodiscard]] PlanInput input_of(const Run& run) const;
  // Looks for the Nodes of routes to be removed: a cache may lag.
  Task<void> look_for_targets(Ctx ctx, Run& run);
  Task<Status> look_for_target(Ctx ctx, std::string name, Run& run);

  Task<void> apply(Ctx ctx, Run& run, Batch batch);
  void note_removal(Run& run, std::size_t route, const Status& status);
  void note_addition(Run& run, const Addition& addition, const Route& route, const Status& status,
                     milliseconds took);
  void note_table_full(const Run& run, const Status& status);

  Task<void> write_conditions(Ctx ctx, Run& run);
  Task<Status> write_condition(Ctx ctx, const NodeState& node, Condition condition);

  // Reports the findings of the run, as Events and metrics.
  void report(const Run& run);
  void measure(const Run& run);
  [[nodiscard]] TableUse use_of(const Run& run) const;

  Host& host_;
  const Metric syncs_;
  const Metric changes_;
  const Metric table_routes_;
  const Metric table_limit_;
  RouteDelay delay_;
  Settings settings_;
  Retries retries_;
  ListingCheck listing_check_;
  Conditions conditions_;
  Notices notices_;

  RouteLimits limits_;
  std::optional<milliseconds> limits_asked_;
  // The number of routes when the cloud refused more, when it does not say its limit.
  int64_t learned_limit_ = 0;
  milliseconds learned_until_{0};
  std::set<std::string> gone_;     // Nodes that the API server says are gone
  std::set<std::string> outside_;  // of the last plan

  bool node_changed_ = false;   // since the last run began
  milliseconds not_before_{0};  // the next run
  Status last_;                 // outcome of the last one
  uint32_t failures_ = 0;       // runs in a row
};

}  // namespace ccm::route

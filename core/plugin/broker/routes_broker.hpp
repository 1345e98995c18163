// The provider's routes for all controllers: every operation has a deadline and is counted, one
// `apply` runs at a time, and the removal of many routes passes the brake. Loop thread.
#pragma once

#include "plugin/broker/provider_timeouts.hpp"
#include "plugin/broker/route_values.hpp"
#include "plugin/broker/turns.hpp"
#include "plugin/deletion/absence_gate.hpp"
#include "plugin/live_component.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ccm::plugin {

class RoutesBroker {
 public:
  struct Changes {
    std::string cluster_name;
    std::vector<Route> removals;
    std::vector<Route> additions;
  };

  // `gate` must outlive it.
  RoutesBroker(std::shared_ptr<LiveComponent> provider, ccm_interface interface,
               ProviderTimeouts timeouts, AbsenceGate& gate);
  // The provider has the two functions without which there are no routes.
  [[nodiscard]] bool usable() const;

  // Each `done` is called once, except that nothing more comes once `context` ended: its operation
  // has ended with it.
  void list(std::string cluster_name, std::shared_ptr<Context> context,
            std::function<void(Result<std::vector<Route>>)> done);
  // The outcome of each change, removals first. What is not owned is never removed
  // (failed_precondition "NotOwned"); what the brake holds is failed_precondition
  // "DeletionBrakeEngaged"; all other changes are made.
  void apply(Changes changes, std::shared_ptr<Context> context,
             std::function<void(Result<std::vector<Status>>)> done);
  void limits(std::shared_ptr<Context> context, std::function<void(Result<RouteLimits>)> done);

 private:
  struct Batch;
  void begin_apply(const std::shared_ptr<Batch>& batch, Turns::Turn turn);
  void judge(Batch& batch);
  void applied(Batch& batch, Result<std::vector<Status>> outcome);

  const std::shared_ptr<LiveComponent> provider_;
  void* const self_;
  const ccm_cloud_routes table_;  // what lies beyond its size is NULL
  const ProviderTimeouts timeouts_;
  AbsenceGate& gate_;
  std::vector<Route> owned_;  // of the last listing
  Turns turns_;
};

}  // namespace ccm::plugin

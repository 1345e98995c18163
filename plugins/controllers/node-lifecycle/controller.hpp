// cloud-node-lifecycle-controller: monitors Nodes that are not Ready. A Node whose instance is gone
// is deleted; a Node whose instance is shut down is tainted until it runs again. [serial]
//
// Ready Nodes cost nothing: no call to the cloud, no timer. A Node is looked at when it becomes not
// Ready and then every --node-monitor-period, less often when it stays so. Whether an instance is
// really gone is decided by the host: it looks again, and its brake checks every deletion.
#pragma once

#include "look_pace.hpp"
#include "node_state.hpp"
#include "taints.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ccm::node_lifecycle {

class Controller {
 public:
  explicit Controller(Host& host);

  // Unimplemented when the provider has no instances (LIFE-1).
  Status setup(Setup& setup);
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request);

 private:
  // When an instance was first seen shut down, since it last ran.
  struct Stop {
    std::string uid;
    std::chrono::milliseconds seen{0};
  };

  // A Node whose instance is being looked at.
  struct Examination {
    std::chrono::milliseconds pause{0};                   // until the next look
    Result<ReconcileResult> outcome = ReconcileResult();  // of the last one
  };

  void on_event(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  [[nodiscard]] std::chrono::milliseconds wait(std::string_view name) const;
  // The result of a reconcile that comes before the next look is due.
  [[nodiscard]] Result<ReconcileResult> too_early(const std::string& name) const;
  Task<Result<ReconcileResult>> examine(Ctx ctx, Object node);
  Task<Result<Instance>> look(Ctx ctx, Object node);
  // MET-15: one answer says what upstream asks in two calls.
  void count(const Result<Instance>& answer) const;
  // The status of a reconcile whose look ended so: the Node is looked at again after a pause.
  [[nodiscard]] Status not_known(const std::string& name, const Status& look) const;
  Task<Result<ReconcileResult>> act(Ctx ctx, Object node, Instance instance);
  Task<Status> set_taints(Ctx ctx, Object node, Wanted wanted);
  void report_taints(const Object& node, Wanted wanted) const;
  Task<Status> remove(Ctx ctx, Object node, std::string cause);
  // The taints for an instance that is shut down now.
  Wanted stopped(const NodeState& node);
  // How long an uninitialised Node is still left alone; nothing: it is not.
  [[nodiscard]] std::optional<std::chrono::milliseconds> grace(const NodeState& node) const;
  // Until the next look at a Node that was looked at.
  [[nodiscard]] std::chrono::milliseconds pause(const std::string& name) const;
  void forget(const std::string& name);

  Host& host_;
  const Metric looks_;
  const Metric calls_;
  std::chrono::milliseconds period_{5'000};  // HOST-31
  bool out_of_service_ = false;
  LookPace pace_{period_};
  std::map<std::string, Examination, std::less<>> examinations_;  // by Node name
  std::map<std::string, Stop, std::less<>>
      stops_;  // by Node name; a restart loses them without harm
};

}  // namespace ccm::node_lifecycle

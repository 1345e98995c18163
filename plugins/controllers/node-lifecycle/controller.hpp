// cloud-node-lifecycle-controller: looks after Nodes that are not Ready. One whose machine is gone
// is deleted, one whose machine is shut down is tainted until it runs again. [serial]
//
// Ready Nodes cost nothing: no call to the cloud, no timer. A Node that is not Ready is looked at
// when that happens and then every --node-monitor-period. What "gone" means is not decided here:
// the host looks again, and its brake stands before every deletion.
#pragma once

#include "node_state.hpp"
#include "taints.hpp"

#include <ccm/controller.hpp>
#include <ccm/host.hpp>
#include <ccm/task.hpp>

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>

namespace ccm::node_lifecycle {

class Controller {
 public:
  explicit Controller(Host& host) : host_(host) {}

  // Unimplemented when the provider knows no machines (LIFE-1).
  Status setup(Setup& setup);
  Task<Result<ReconcileResult>> reconcile(Ctx ctx, Request request);

 private:
  // When a machine was first seen shut down, since it last ran.
  struct Stop {
    std::string uid;
    std::chrono::milliseconds seen{0};
  };

  void on_event(EventKind kind, const Object& old, const Object& now, const Queue& queue);
  Task<Result<InstanceState>> look(Ctx ctx, Object node);
  Task<Result<ReconcileResult>> act(Ctx ctx, Object node, InstanceState machine);
  Task<Status> set_taints(Ctx ctx, Object node, Wanted wanted);
  void tell_taints(const Object& node, Wanted wanted) const;
  Task<Status> remove(Ctx ctx, Object node, std::string cause);
  // What a machine that is shut down now asks for.
  Wanted stopped(const NodeState& node);
  // How long a Node that waits to be initialised is still left alone; nothing: it is not.
  [[nodiscard]] std::optional<std::chrono::milliseconds> grace(const NodeState& node) const;
  // Until the next look at a Node: the period, longer when many are in doubt.
  [[nodiscard]] std::chrono::milliseconds pause() const;
  void forget(const std::string& name);

  Host& host_;
  std::chrono::milliseconds period_{5'000};  // HOST-31
  bool out_of_service_ = false;
  std::unordered_set<std::string> in_doubt_;        // Nodes whose machines are looked at
  std::map<std::string, Stop, std::less<>> stops_;  // by Node name; lost at a restart, at no harm
};

}  // namespace ccm::node_lifecycle

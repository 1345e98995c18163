// How long ranges of Nodes wait for their route: from the first event of a Node with an instance
// until a route leads there, or the Node is gone. [serial]
#pragma once

#include "node_state.hpp"
#include "plan.hpp"

#include <ccm/metrics.hpp>

#include <chrono>
#include <map>
#include <string>
#include <unordered_map>

namespace ccm::route {

class RouteDelay {
 public:
  using Milliseconds = std::chrono::milliseconds;

  explicit RouteDelay(Metric delay) : delay_(delay) {}

  // The Node wants these routes; those that it has wanted before keep their time.
  void wanted(const NodeState& node, Milliseconds now);
  // The cloud has created a route.
  void made(const NodeState& node, const std::string& range, Milliseconds now);
  // A run that began at `begun` has ended: ranges with a route, found or created, wait no more.
  void settled(const NodeState& node, const NodePlan& plan, Milliseconds begun);
  // The Node is gone.
  void forget(const std::string& uid) { waiting_.erase(uid); }

 private:
  using Ranges = std::map<std::string, Milliseconds>;  // since when, by the text in spec.podCIDRs

  Metric delay_;
  std::unordered_map<std::string, Ranges> waiting_;  // by uid
};

}  // namespace ccm::route

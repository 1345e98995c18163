// The condition NetworkUnavailable of Nodes: its desired value, and whether to write it
// (ROUTE-29..36). [serial]
#pragma once

#include "node_state.hpp"
#include "plan.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ccm::route {

inline constexpr std::string_view kRouteCreated = "RouteCreated";
inline constexpr std::string_view kNoRouteCreated = "NoRouteCreated";

struct Condition {
  bool unavailable = false;  // the status
  std::string message;

  [[nodiscard]] std::string_view status() const { return unavailable ? "True" : "False"; }
  [[nodiscard]] std::string_view reason() const {
    return unavailable ? kNoRouteCreated : kRouteCreated;
  }
};

// Nothing = it is left unchanged: the Node has no ranges, and no route leads to it (ROUTE-29).
std::optional<Condition> desired_condition(const NodePlan& plan);

// Whether another program said that the network is available: CiliumIsUp, CalicoIsUp, FlannelIsUp.
bool set_by_overlay(const NodeState& node);

// A strategic merge patch for nodes/<name>/status: this one condition (ROUTE-34, 35), for the Node
// of that uid only. `now` since 1970.
std::string condition_patch(const std::string& uid, const Condition& condition,
                            std::chrono::milliseconds now);

// Remembers the writes, for caches that lag, and for programs that revert the condition.
class Conditions {
 public:
  // Whether it has to be written. Not when the Node's has this status and reason (ROUTE-33), or
  // will have as soon as the watch shows our last write; nor when another program has replaced our
  // "available" by its own.
  [[nodiscard]] bool needed(const NodeState& node, const Condition& condition) const;
  // `written` is the Node in the API server's answer.
  void wrote(const NodeState& node, const Condition& condition, const Object& written);
  // Forgets Nodes that are not among `nodes`.
  void keep_only(const std::vector<NodeState>& nodes);

 private:
  struct Written {
    std::string uid;
    uint64_t version = 0;
    bool unavailable = false;
  };
  std::map<std::string, Written, std::less<>> written_;  // by the Node's name
};

}  // namespace ccm::route

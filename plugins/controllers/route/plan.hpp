// The missing and the surplus routes of the cloud's table, as a comparison without side effects
// (ROUTE-14..24). Any thread.
#pragma once

#include "node_state.hpp"

#include <ccm/cidr.hpp>
#include <ccm/pod_routes.hpp>
#include <ccm/route.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ccm::route {

enum class Outcome {
  kept,            // a route leads there
  wanted,          // one is to be added
  waiting,         // one is to be added later: the last attempt failed, or an obstacle remains
  failed,          // it could not be added now
  table_full,      // the table takes no more
  refused,         // no route may lead there, or to this Node
  taken_by_node,   // another Node has the range, or a part of it
  taken_by_route,  // another owner's route leads that range elsewhere
  not_a_range,     // the text in spec.podCIDRs is not a range
};

// One entry of a Node's spec.podCIDRs.
struct RangePlan {
  std::string text;
  std::optional<Cidr> cidr;
  Outcome outcome = Outcome::wanted;
  std::string other;  // its present user: a Node's name, or a description of the route
  // Why no route may lead there, after "The Pod range 10.9.0.0/24 ". With `kept`: the one that is
  // there may stay.
  std::optional<RangeRefusal> refusal;
  std::string why;  // the host's words, when it made none
};

struct NodePlan {
  bool listed = false;  // some route leads to it
  std::vector<RangePlan> ranges;

  // Whether a route leads to every range.
  [[nodiscard]] bool complete() const;
};

// One entry of a Node's ranges that gets a route.
struct Addition {
  std::size_t node = 0;
  std::size_t range = 0;
};

// Changes that belong together: routes to remove, and the one that replaces them.
struct Step {
  std::vector<std::size_t> removals;  // indices of listed routes
  std::optional<Addition> addition;
};

struct Plan {
  std::vector<NodePlan> nodes;  // in the order of the given Nodes
  std::vector<Step> steps;      // removals without an addition first
  // Ranges of Nodes whose condition claims a route, and those of them without a listed route.
  std::size_t expected = 0;
  std::size_t missing = 0;
  std::size_t foreign = 0;        // listed routes of other owners
  std::set<std::string> outside;  // for PlanInput::outside of the next one
};

struct PlanInput {
  const std::vector<Route>& table;
  const std::vector<NodeState>& nodes;
  const RoutableRanges& ranges;
  // The number of routes that the table takes in addition to the listed ones; nothing = no known
  // limit.
  std::optional<int64_t> room;
  // Existing Nodes that `nodes` lacks: their routes stay.
  std::set<std::string> unseen;
  // Owned routes to ranges outside of all permitted ones, by ID and destination, that have once led
  // to a Node with that range: a cluster of the same name may have made the others, so those stay.
  std::set<std::string> outside;
  // Whether a change may be attempted now: its back-off is over.
  std::function<bool(const std::string& change)> due;
};

Plan make_plan(const PlanInput& input);

// Names of changes, for their back-off.
std::string change_name(const NodeState& node, const RangePlan& range);
std::string change_name(const Route& route);

// Nodes that `nodes` lacks and that have removable routes.
std::set<std::string> unknown_targets(const PlanInput& input);

// "10.244.1.0/24 to node-1 (id)", for people.
std::string describe(const Route& route);

}  // namespace ccm::route

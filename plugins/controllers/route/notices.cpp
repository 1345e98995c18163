#include "notices.hpp"

#include <algorithm>

namespace ccm::route {
namespace {

constexpr std::chrono::milliseconds kReportAgain{1'800'000};
// Longer than any pause between two attempts except the longest.
constexpr std::chrono::milliseconds kOver{120'000};
constexpr std::size_t kMostFailures = 20;
constexpr std::size_t kMostNodes = 3;

std::string seconds_text(std::chrono::milliseconds time) {
  const auto hundredths = (time.count() + 5) / 10;
  std::string rest = std::to_string(hundredths % 100);
  if (rest.size() < 2) rest.insert(0, "0");
  return std::to_string(hundredths / 100) + "." + rest + " s";
}

std::string size_text(const TableUse& use) {
  std::string text = std::to_string(use.routes) + " routes";
  if (use.limit > 0) text += " of at most " + std::to_string(use.limit);
  if (use.foreign > 0) text += ", " + std::to_string(use.foreign) + " of them not this cluster's";
  return text;
}

std::string count_text(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace

void Notices::begin(std::chrono::milliseconds now) {
  now_ = now;
  failures_ = 0;
  std::erase_if(reported_, [now](const auto& entry) { return now - entry.second.seen >= kOver; });
}

bool Notices::is_due(const std::string& what) {
  const auto [place, fresh] = reported_.try_emplace(what, Reported{now_, now_});
  place->second.seen = now_;
  if (fresh) return true;
  if (now_ - place->second.at < kReportAgain) return false;
  place->second.at = now_;
  return true;
}

void Notices::ranges(const NodeState& node, const NodePlan& plan) {
  for (const RangePlan& range : plan.ranges) {
    std::string reason(kRangeConflict);
    std::string message;
    if (range.outcome == Outcome::taken_by_node) {
      message = "Node " + range.other + " has the Pod range " + range.text +
                ", or a part of it, and is older or has its route already. This Node gets none: "
                "make it again, with another range";
    } else if (range.outcome == Outcome::taken_by_route) {
      message = "The cloud has a route for the Pod range " + range.text +
                " that this program did not make or must not remove: " + range.other +
                ". The Node gets none until somebody removes that one";
    } else if (range.outcome == Outcome::not_a_range) {
      reason = kRangeOutside;
      message = "The Pod range \"" + range.text + "\" is no address range, so there is no route";
    } else if (range.refusal) {
      reason = range.refusal->reason;
      message = "The Pod range " + range.text + " " + range.refusal->message;
      message += range.outcome == Outcome::kept
                     ? ". The route that is there stays with the Node, but would not be made again"
                     : ". The Node gets no route";
    } else {
      continue;
    }
    if (!is_due(reason + " " + node.uid + " " + range.text + " " + range.other)) continue;
    log_.warning("A pod range of a node is wrong", {{"node", node.name}, {"reason", message}});
    events_.warning(node.object, reason, message);
  }
}

void Notices::not_added(const NodeState& node, const Route& route, const Status& status,
                        std::chrono::milliseconds took) {
  log_.error("Failed to create a route",
             {{"node", node.name}, {"destination", route.destination_cidr}, {"err", status}});
  if (++failures_ > kMostFailures) return;
  events_.warning(node.object, "FailedToCreateRoute",
                  "The cloud created no route " + route.name_hint + " for " +
                      route.destination_cidr + " to Node " + node.name + " within " +
                      seconds_text(took) + ": " + status.message());
}

void Notices::refused(const NodeState& node, const RangePlan& range, const Status& status) {
  if (!is_due(status.reason() + " " + node.uid + " " + range.text)) return;
  log_.warning("A node gets no route",
               {{"node", node.name}, {"destination", range.text}, {"err", status}});
  events_.warning(node.object, status.reason(),
                  "The Node gets no route for " + range.text + ": " + status.message());
}

void Notices::not_removed(const Route& route, const Status& status) {
  log_.error("Failed to remove a route", {{"route", describe(route)}, {"err", status}});
}

void Notices::table_full(const std::vector<const NodeState*>& nodes, const TableUse& use,
                         const Status& status) {
  if (nodes.empty()) return;
  std::string message = "The cloud's route table is full (" + size_text(use) + "), so " +
                        count_text(nodes.size(), "Node gets", "Nodes get") +
                        " no route. Ask the cloud for a larger quota, or remove routes or Nodes";
  if (!status.ok()) message += ". The cloud said: " + status.message();
  for (std::size_t i = 0; i < std::min(nodes.size(), kMostNodes); ++i) {
    if (!is_due("RouteTableFull " + nodes[i]->uid)) continue;
    if (i == 0) log_.error("The route table is full", {{"reason", message}});
    events_.warning(nodes[i]->object, "RouteTableFull", message);
  }
}

void Notices::table_use(const TableUse& use, const NodeState* node) {
  if (use.limit <= 0 || static_cast<int64_t>(use.routes) * 5 < use.limit * 4) return;
  if (!is_due("RouteTableNearlyFull")) return;
  const std::string message = "The cloud's route table holds " + size_text(use) +
                              ". When it is full, new Nodes get no routes: ask the cloud for a "
                              "larger quota in time";
  log_.warning("The route table is nearly full", {{"reason", message}});
  if (node != nullptr) events_.warning(node->object, "RouteTableNearlyFull", message);
}

void Notices::held(std::size_t removals, const Status& status, const NodeState* node) {
  if (!is_due("RouteRemovalHeld")) return;
  const std::string message = count_text(removals, "route that no Node needs any more stays",
                                         "routes that no Node needs any more stay") +
                              ", as too many would go at once: " + status.message();
  log_.warning("Routes are not removed", {{"reason", message}});
  if (node != nullptr) events_.warning(node->object, "RouteRemovalHeld", message);
}

void Notices::overlay(const std::vector<const NodeState*>& nodes) {
  if (nodes.empty() || !is_due("OverlayNetwork")) return;
  const NodeState& node = *nodes.front();
  const std::string message =
      "The condition NetworkUnavailable of " + count_text(nodes.size(), "Node", "Nodes") +
      " was set by another program (reason " + node.network_reason +
      "). If the network plugin brings Pods' packets to their Nodes by itself, the cloud's routes "
      "are of no use: start this program with --configure-cloud-routes=false";
  log_.warning("A network plugin seems to do the routing", {{"reason", message}});
  events_.warning(node.object, "OverlayNetwork", message);
}

void Notices::incomplete_listing(std::size_t expected, std::size_t missing) {
  log_.warning("The cloud lists suspiciously few routes, listing again",
               {{"expected", expected}, {"missing", missing}});
}

}  // namespace ccm::route

#include "conditions.hpp"

#include <ccm/json_writer.hpp>
#include <ccm/timestamp.hpp>

#include <unordered_set>
#include <utility>

namespace ccm::route {
namespace {

std::string why(const RangePlan& range) {
  switch (range.outcome) {
    case Outcome::table_full:
      return "the cloud's route table is full";
    case Outcome::taken_by_node:
      return "Node " + range.other + " has the range, or a part of it";
    case Outcome::refused:
      return range.refusal ? "it " + range.refusal->message : range.why;
    case Outcome::taken_by_route:
      return "there is a route that this cluster did not make: " + range.other;
    case Outcome::not_a_range:
      return "it is no address range";
    default:
      return "it could not be made yet";
  }
}

}  // namespace

std::optional<Condition> desired_condition(const NodePlan& plan) {
  Condition condition;
  if (plan.ranges.empty()) {
    if (!plan.listed) return std::nullopt;
    condition.unavailable = true;
    condition.message = "The Node has no Pod address range that a route could lead to";
    return condition;
  }
  for (const RangePlan& range : plan.ranges) {
    if (range.outcome == Outcome::kept) continue;
    condition.unavailable = true;
    condition.message += condition.message.empty() ? "No route: " : "; ";
    condition.message += range.text + ": " + why(range);
  }
  if (!condition.unavailable) condition.message = "The cloud has a route to the Node's Pods";
  return condition;
}

bool set_by_overlay(const NodeState& node) {
  return node.network_status == "False" && !node.network_reason.empty() &&
         node.network_reason != kRouteCreated && node.network_reason != kNoRouteCreated;
}

std::string condition_patch(const std::string& uid, const Condition& condition,
                            std::chrono::milliseconds now) {
  const std::string time = timestamp(now);
  JsonWriter json;
  json.object([&] {
    json.member("metadata").object([&] { json.member("uid").text(uid); });
    json.member("status").object([&] {
      json.member("conditions").array([&] {
        json.object([&] {
          json.member("type").text("NetworkUnavailable");
          json.member("status").text(condition.status());
          json.member("reason").text(condition.reason());
          json.member("message").text(condition.message);
          json.member("lastHeartbeatTime").text(time);
          json.member("lastTransitionTime").text(time);
        });
      });
    });
  });
  return std::move(json).str();
}

bool Conditions::needed(const NodeState& node, const Condition& condition) const {
  if (node.network_status == condition.status() && node.network_reason == condition.reason()) {
    return false;
  }
  const auto place = written_.find(node.name);
  if (place == written_.end() || place->second.uid != node.uid) return true;
  const Written& last = place->second;
  if (node.object.version() < last.version && last.unavailable == condition.unavailable) {
    return false;
  }
  const bool contested = !condition.unavailable && !last.unavailable && set_by_overlay(node);
  return !contested;
}

void Conditions::wrote(const NodeState& node, const Condition& condition, const Object& written) {
  written_.insert_or_assign(node.name, Written{node.uid, written.version(), condition.unavailable});
}

void Conditions::keep_only(const std::vector<NodeState>& nodes) {
  std::unordered_set<std::string_view> names;
  for (const NodeState& node : nodes) names.insert(node.name);
  std::erase_if(written_, [&](const auto& entry) { return names.count(entry.first) == 0; });
}

}  // namespace ccm::route

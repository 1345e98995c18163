#include "plan.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace ccm::route {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// A listed route with its classification.
struct Listed {
  std::optional<Cidr> cidr;
  std::size_t node = kNone;  // its target, when that is known
  bool ours = false;         // may be removed: owned, and inside of the cluster CIDRs
  bool right = false;        // leads to a Node with this range
};

class Planner {
 public:
  explicit Planner(const PlanInput& input)
      : input_(input), listed_(input.table.size()), age_(input.nodes.size()) {}

  Plan run() {
    read_nodes();
    read_table();
    judge_claims();
    collect_removals();
    fill_table();
    return std::move(plan_);
  }

  std::set<std::string> unknown_targets() {
    read_nodes();
    read_table();
    std::set<std::string> names;
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const Route& route = input_.table[i];
      if (!listed_[i].ours || listed_[i].node != kNone || route.target_node.empty()) continue;
      names.insert(route.target_node);
    }
    return names;
  }

 private:
  using Claim = Addition;

  void read_nodes() {
    plan_.nodes.resize(input_.nodes.size());
    std::iota(age_.begin(), age_.end(), std::size_t{0});
    std::sort(age_.begin(), age_.end(), [this](std::size_t left, std::size_t right) {
      const NodeState& a = input_.nodes[left];
      const NodeState& b = input_.nodes[right];
      return std::tie(a.created, a.name) < std::tie(b.created, b.name);
    });
    for (const std::size_t node : age_) {
      by_name_.emplace(input_.nodes[node].name, node);
      for (const std::string& text : input_.nodes[node].ranges) add_range(node, text);
    }
  }

  void add_range(std::size_t node, const std::string& text) {
    auto& ranges = plan_.nodes[node].ranges;
    RangePlan range;
    range.text = text;
    range.cidr = parse_cidr(text);
    const auto same = [&](const RangePlan& other) { return other.cidr == range.cidr; };
    if (range.cidr && std::any_of(ranges.begin(), ranges.end(), same)) return;
    if (range.cidr) {
      range.outside = !inside(*range.cidr);
      claims_[*range.cidr].push_back(Claim{node, ranges.size()});
    } else {
      range.outcome = Outcome::not_a_range;
    }
    ranges.push_back(std::move(range));
  }

  [[nodiscard]] bool inside(const Cidr& cidr) const {
    return std::any_of(input_.clusters.begin(), input_.clusters.end(),
                       [&](const Cidr& cluster) { return cluster.contains(cidr); });
  }

  void read_table() {
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const Route& route = input_.table[i];
      Listed& listed = listed_[i];
      listed.cidr = parse_cidr(route.destination_cidr);
      const auto node = by_name_.find(route.target_node);
      if (node != by_name_.end()) {
        listed.node = node->second;
        plan_.nodes[listed.node].listed = true;
      }
      // Stricter than upstream's test of the first and the last address (ROUTE-18).
      listed.ours = route.owned && listed.cidr && inside(*listed.cidr);
      listed.right = is_right(route, listed);
      if (listed.cidr) by_range_[*listed.cidr].push_back(i);
      if (!route.owned) ++plan_.foreign;
    }
  }

  // ROUTE-15. A route to nowhere is never right, whatever its target was.
  [[nodiscard]] bool is_right(const Route& route, const Listed& listed) const {
    if (route.blackhole || listed.node == kNone || !listed.cidr) return false;
    const auto& ranges = plan_.nodes[listed.node].ranges;
    const auto same = [&](const RangePlan& range) { return range.cidr == listed.cidr; };
    if (std::none_of(ranges.begin(), ranges.end(), same)) return false;
    // A Node without addresses has not reported them; it has not lost them.
    const auto& addresses = input_.nodes[listed.node].addresses;
    return !input_.uses_addresses || addresses.empty() ||
           same_addresses(route.target_addresses, addresses);
  }

  RangePlan& range_of(const Claim& claim) { return plan_.nodes[claim.node].ranges[claim.range]; }

  // Of several Nodes with one range, the one with a route keeps it, else the oldest gets one: the
  // answer is always the same, so no route moves back and forth.
  void judge_claims() {
    for (const auto& [cidr, claims] : claims_) {
      const auto routes = by_range_.find(cidr);
      count_expected(claims, routes != by_range_.end());
      std::size_t holder = kNone;
      if (routes != by_range_.end()) {
        for (const std::size_t i : routes->second) {
          if (!listed_[i].right) continue;
          holder = std::min(holder, listed_[i].node);
          mark_kept(claims, listed_[i].node);
        }
      }
      const std::size_t first = holder != kNone ? holder : claims.front().node;
      for (const Claim& claim : claims) {
        if (claim.node == first || range_of(claim).outcome == Outcome::kept) continue;
        range_of(claim).outcome = Outcome::taken_by_node;
        range_of(claim).other = input_.nodes[first].name;
      }
      if (holder == kNone) judge_first(claims.front(), cidr);
    }
  }

  void mark_kept(const std::vector<Claim>& claims, std::size_t node) {
    for (const Claim& claim : claims) {
      if (claim.node == node) range_of(claim).outcome = Outcome::kept;
    }
  }

  void count_expected(const std::vector<Claim>& claims, bool listed) {
    const bool expected = std::any_of(claims.begin(), claims.end(), [this](const Claim& claim) {
      const NodeState& node = input_.nodes[claim.node];
      return node.network_status == "False" && node.network_reason == "RouteCreated";
    });
    if (!expected) return;
    ++plan_.expected;
    if (!listed) ++plan_.missing;
  }

  // The Node that should get a route to a range without a right one.
  void judge_first(const Claim& claim, const Cidr& cidr) {
    RangePlan& range = range_of(claim);
    const NodeState& node = input_.nodes[claim.node];
    Step step;
    step.addition = claim;
    bool due = input_.due(change_name(node, range));
    const auto routes = by_range_.find(cidr);
    for (const std::size_t i :
         routes != by_range_.end() ? routes->second : std::vector<std::size_t>{}) {
      const Route& route = input_.table[i];
      if (!listed_[i].ours) {
        range.outcome = Outcome::taken_by_route;
        range.other = describe(route);
        return;
      }
      due = due && input_.unseen.count(route.target_node) == 0 && input_.due(change_name(route));
      step.removals.push_back(i);
    }
    if (input_.uses_addresses && node.addresses.empty()) {
      range.outcome = Outcome::no_address;
    } else if (!due) {
      range.outcome = Outcome::waiting;
    } else {
      additions_[claim.node].push_back(std::move(step));
    }
  }

  // ROUTE-19. A route is removed together with the addition of its replacement.
  void collect_removals() {
    std::set<std::size_t> replaced;
    for (const auto& [node, steps] : additions_) {
      for (const Step& step : steps) replaced.insert(step.removals.begin(), step.removals.end());
    }
    for (std::size_t i = 0; i < listed_.size(); ++i) {
      const Route& route = input_.table[i];
      if (!listed_[i].ours || listed_[i].right || replaced.count(i) != 0) continue;
      if (input_.unseen.count(route.target_node) != 0 || !input_.due(change_name(route))) continue;
      if (stays_for_want_of_another(i)) continue;
      plan_.steps.push_back(Step{{i}, std::nullopt});
    }
  }

  // A route to an old address, or one that cannot be replaced yet, is better than none; a route to
  // nowhere, or to a Node without this range, is not.
  [[nodiscard]] bool stays_for_want_of_another(std::size_t i) {
    const Route& route = input_.table[i];
    const auto claims = claims_.find(*listed_[i].cidr);
    if (route.blackhole || listed_[i].node == kNone || claims == claims_.end()) return false;
    for (const Claim& claim : claims->second) {
      if (claim.node != listed_[i].node) continue;
      const Outcome outcome = range_of(claim).outcome;
      return outcome == Outcome::waiting || outcome == Outcome::no_address;
    }
    return false;
  }

  // The oldest Nodes first, and each gets routes to all its ranges or to none: with half of them it
  // would not work.
  void fill_table() {
    std::optional<int64_t> room = input_.room;
    if (room) *room += static_cast<int64_t>(plan_.steps.size());
    for (const std::size_t node : age_) {
      const auto place = additions_.find(node);
      if (place == additions_.end()) continue;
      int64_t needed = 0;
      for (const Step& step : place->second) {
        needed += 1 - static_cast<int64_t>(step.removals.size());
      }
      const bool fits = !room || needed <= std::max<int64_t>(*room, 0);
      if (fits && room) *room -= needed;
      for (Step& step : place->second) {
        if (fits) {
          plan_.steps.push_back(std::move(step));
        } else {
          range_of(*step.addition).outcome = Outcome::table_full;
          for (const std::size_t i : step.removals) plan_.steps.push_back(Step{{i}, std::nullopt});
        }
      }
    }
    std::stable_partition(plan_.steps.begin(), plan_.steps.end(),
                          [](const Step& step) { return !step.addition.has_value(); });
  }

  const PlanInput& input_;
  Plan plan_;
  std::vector<Listed> listed_;
  std::vector<std::size_t> age_;  // Nodes, the oldest first
  std::unordered_map<std::string_view, std::size_t> by_name_;
  std::map<Cidr, std::vector<std::size_t>> by_range_;   // listed routes
  std::map<Cidr, std::vector<Claim>> claims_;           // the oldest Node first
  std::map<std::size_t, std::vector<Step>> additions_;  // by Node
};

}  // namespace

bool NodePlan::complete() const {
  return std::all_of(ranges.begin(), ranges.end(),
                     [](const RangePlan& range) { return range.outcome == Outcome::kept; });
}

Plan make_plan(const PlanInput& input) { return Planner(input).run(); }

std::set<std::string> unknown_targets(const PlanInput& input) {
  return Planner(input).unknown_targets();
}

std::string change_name(const NodeState& node, const RangePlan& range) {
  return "add " + node.uid + " " + range.text + " " + node.provider_id;
}

std::string change_name(const Route& route) {
  return "remove " + route.id + " " + route.destination_cidr + " " + route.target_node;
}

std::string describe(const Route& route) {
  std::string text = route.destination_cidr;
  if (route.blackhole) text += " to nowhere";
  if (!route.blackhole && !route.target_node.empty()) text += " to " + route.target_node;
  if (!route.id.empty()) text += " (" + route.id + ")";
  return text;
}

}  // namespace ccm::route

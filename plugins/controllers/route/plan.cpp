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
  bool ours = false;         // may be removed
  bool leads = false;        // to a Node with this range
  bool right = false;        // and it may
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
      return std::tie(a.created, a.uid) < std::tie(b.created, b.uid);
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
      claims_[*range.cidr].push_back(Claim{node, ranges.size()});
    } else {
      range.outcome = Outcome::not_a_range;
    }
    ranges.push_back(std::move(range));
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
      listed.ours = is_ours(route, listed);
      // ROUTE-15. A route to nowhere never does, whatever its target was. The host has looked to
      // which Node's instance it leads.
      listed.leads = !route.blackhole && target_has_range(listed);
      if (listed.cidr) by_range_[*listed.cidr].push_back(i);
      if (!route.owned) ++plan_.foreign;
    }
  }

  [[nodiscard]] bool target_has_range(const Listed& listed) const {
    if (listed.node == kNone || !listed.cidr) return false;
    const auto& ranges = plan_.nodes[listed.node].ranges;
    return std::any_of(ranges.begin(), ranges.end(),
                       [&](const RangePlan& range) { return range.cidr == listed.cidr; });
  }

  // By the provider's own mark; upstream goes by the address alone (ROUTE-18). Outside of the
  // permitted ranges only a route that has led to a Node with that range.
  bool is_ours(const Route& route, const Listed& listed) {
    if (!route.owned || !listed.cidr) return false;
    if (input_.ranges.contains(*listed.cidr)) return true;
    std::string key = route.id + " " + route.destination_cidr;
    const bool known = target_has_range(listed) || input_.outside.count(key) != 0;
    if (known) plan_.outside.insert(std::move(key));
    return known;
  }

  RangePlan& range_of(const Claim& claim) { return plan_.nodes[claim.node].ranges[claim.range]; }

  // By the host's rule, judge_pod_ranges(), so that it refuses nothing but what changed meanwhile.
  void judge_claims() {
    std::vector<PodRange> given;
    std::vector<Claim> places;
    for (const auto& [cidr, claims] : claims_) {
      for (const Claim& claim : claims) {
        const NodeState& node = input_.nodes[claim.node];
        given.push_back({node.created, node.uid, cidr, has_own_route(claim, cidr)});
        places.push_back(claim);
      }
    }
    const auto verdicts = judge_pod_ranges(input_.ranges, given);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      RangePlan& range = range_of(places[i]);
      range.refusal = verdicts[i].refusal;
      if (verdicts[i].holder) {
        range.outcome = Outcome::taken_by_node;
        range.other = input_.nodes[places[*verdicts[i].holder].node].name;
      } else if (!verdicts[i].routable) {
        range.outcome = Outcome::refused;
      }
    }
    for (const auto& [cidr, claims] : claims_) {
      count_expected(claims, by_range_.find(cidr) != by_range_.end());
      for (const Claim& claim : claims) {
        if (range_of(claim).outcome == Outcome::wanted) judge_routable(claim, cidr);
      }
    }
  }

  [[nodiscard]] bool has_own_route(const Claim& claim, const Cidr& cidr) const {
    const auto routes = by_range_.find(cidr);
    if (routes == by_range_.end()) return false;
    return std::any_of(routes->second.begin(), routes->second.end(), [&](std::size_t i) {
      return listed_[i].ours && listed_[i].leads && listed_[i].node == claim.node;
    });
  }

  // At most one Node for each range.
  void judge_routable(const Claim& claim, const Cidr& cidr) {
    const auto routes = by_range_.find(cidr);
    bool kept = false;
    if (routes != by_range_.end()) {
      for (const std::size_t i : routes->second) {
        if (!listed_[i].leads || listed_[i].node != claim.node) continue;
        listed_[i].right = true;
        kept = true;
      }
    }
    if (kept) {
      range_of(claim).outcome = Outcome::kept;
    } else {
      judge_first(claim, cidr);
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

  // A Node that should get a route.
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
    if (!due) {
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

  // A route that cannot be replaced yet is better than none; a route to nowhere, or to a Node
  // without this range, is not.
  [[nodiscard]] bool stays_for_want_of_another(std::size_t i) {
    const Listed& listed = listed_[i];
    const auto claims = claims_.find(*listed.cidr);
    if (input_.table[i].blackhole || claims == claims_.end()) return false;
    return std::any_of(claims->second.begin(), claims->second.end(), [&](const Claim& claim) {
      const bool same = listed.node == claim.node || listed.node == kNone;
      return same && range_of(claim).outcome == Outcome::waiting;
    });
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

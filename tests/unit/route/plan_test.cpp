#include "route/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace ccm::route {
namespace {

class PlanTest : public ::testing::Test {
 protected:
  using Texts = std::vector<std::string>;

  PlanTest() {
    ranges = RoutableRanges::of_flags([](std::string_view name) -> std::optional<std::string> {
      if (name == "cluster-cidr") return "10.244.0.0/16,fd00:10::/48";
      if (name == "additional-pod-cidrs") return "10.99.0.0/16";
      return std::nullopt;
    });
  }

  NodeState& node(const std::string& name, const Texts& pod_ranges) {
    NodeState& state = nodes.emplace_back();
    state.name = name;
    state.uid = "uid-" + name;
    state.ranges = pod_ranges;
    return state;
  }
  Route& route(const std::string& range, const std::string& target) {
    Route& entry = table.emplace_back();
    entry.id = "r" + std::to_string(table.size());
    entry.destination_cidr = range;
    entry.target_node = target;
    entry.owned = true;
    return entry;
  }

  const Plan& make() {
    PlanInput input{table, nodes, ranges, room, unseen, outside, {}};
    input.due = [this](const std::string& change) { return change.find(not_due) != 0; };
    plan = make_plan(input);
    return plan;
  }
  // "-r1 -r2 +10.244.1.0/24>a", a step each.
  Texts steps() {
    make();
    Texts texts;
    for (const Step& step : plan.steps) {
      std::string text;
      for (const std::size_t i : step.removals) text += "-" + table[i].id + " ";
      if (step.addition) {
        text += "+" + plan.nodes[step.addition->node].ranges[step.addition->range].text + ">" +
                nodes[step.addition->node].name;
      }
      if (!text.empty() && text.back() == ' ') text.pop_back();
      texts.push_back(text);
    }
    return texts;
  }
  Outcome outcome(std::size_t node, std::size_t range = 0) {
    return make().nodes[node].ranges[range].outcome;
  }

  std::vector<Route> table;
  std::vector<NodeState> nodes;
  RoutableRanges ranges;
  std::optional<int64_t> room;
  std::set<std::string> unseen;
  std::set<std::string> outside;
  std::string not_due = "nothing";
  Plan plan;
};

TEST_F(PlanTest, ROUTE_15_KeepAndAdd) {
  node("a", {"10.244.1.0/24"});
  node("b", {"10.244.2.0/24"});
  route("10.244.1.0/24", "a");
  EXPECT_EQ(steps(), Texts{"+10.244.2.0/24>b"});
  EXPECT_EQ(outcome(0), Outcome::kept);
  EXPECT_EQ(outcome(1), Outcome::wanted);
  EXPECT_TRUE(plan.nodes[0].listed);
  EXPECT_FALSE(plan.nodes[1].listed);
}

TEST_F(PlanTest, ROUTE_15_TheSameRangeInAnotherSpellingIsTheSame) {
  node("a", {"fd00:10:0:1::/64"});
  route("FD00:10:0000:1:0:0:0:0/64", "a");
  EXPECT_TRUE(steps().empty());
}

TEST_F(PlanTest, DualStackNodesGetBoth) {
  node("a", {"10.244.1.0/24", "fd00:10:0:1::/64"});
  EXPECT_EQ(steps(), (Texts{"+10.244.1.0/24>a", "+fd00:10:0:1::/64>a"}));
  route("fd00:10:0:1::/64", "a");
  EXPECT_EQ(steps(), Texts{"+10.244.1.0/24>a"});
  EXPECT_FALSE(plan.nodes[0].complete());
}

TEST_F(PlanTest, ROUTE_19_WhatIsRemoved) {
  node("a", {"10.244.1.0/24"});
  node("b", {});
  route("10.244.1.0/24", "a");
  route("10.244.2.0/24", "gone");
  route("10.244.3.0/24", "b");
  route("10.244.4.0/24", "a");
  route("10.244.5.0/24", "");
  route("10.244.6.0/24", "a").blackhole = true;
  EXPECT_EQ(steps(), (Texts{"-r2", "-r3", "-r4", "-r5", "-r6"}));
  EXPECT_EQ(outcome(0), Outcome::kept);
  EXPECT_TRUE(plan.nodes[1].listed);
}

TEST_F(PlanTest, TRAP_27_OnlyWhatIsMarkedAsOursIsRemoved) {
  route("10.244.2.0/24", "gone").owned = false;
  route("10.244.5.0/24", "").owned = false;
  route("10.244.6.0/24", "gone").owned = false;
  table.back().blackhole = true;
  EXPECT_TRUE(steps().empty());
  EXPECT_EQ(plan.foreign, 3U);
}

// A cluster of the same name may have made them.
TEST_F(PlanTest, ROUTE_18_20_OutsideOfTheClusterRangesOnlyWhatLedToANodeIsRemoved) {
  route("10.245.0.0/24", "gone");
  route("10.244.0.0/15", "gone");  // its first address is inside, and upstream removes it
  route("10.0.0.0/8", "gone");
  route("192.168.0.0/24", "");
  route("nonsense", "gone");
  route("fd00:11::/64", "gone");
  EXPECT_TRUE(steps().empty());
  EXPECT_TRUE(plan.outside.empty());
  route("10.244.0.0/16", "gone");
  route("fd00:10:0:7::/64", "gone");
  route("10.99.7.0/24", "gone");
  EXPECT_EQ(steps(), (Texts{"-r7", "-r8", "-r9"}));
}

TEST_F(PlanTest, Issue37_2_OutsideOfTheClusterRangesThereIsNoRoute) {
  for (const char* range : {"10.98.1.0/24", "10.0.0.0/8", "0.0.0.0/0", "169.254.169.254/32"}) {
    nodes.clear();
    node("a", {range});
    EXPECT_TRUE(steps().empty()) << range;
    EXPECT_EQ(outcome(0), Outcome::refused) << range;
    EXPECT_EQ(plan.nodes[0].ranges[0].refusal->reason, kRangeOutside);
  }
  nodes.clear();
  node("a", {"10.99.1.0/24"});
  EXPECT_EQ(steps(), Texts{"+10.99.1.0/24>a"});
}

// Such as one of an earlier version. It goes with its Node.
TEST_F(PlanTest, Issue37_2_ARouteOutsideStaysWithItsNodeUnlessItMayNeverBe) {
  node("a", {"10.98.1.0/24"});
  node("b", {"169.254.169.254/32"});
  route("10.98.1.0/24", "a");
  route("169.254.169.254/32", "b");
  EXPECT_EQ(steps(), Texts{"-r2"});
  EXPECT_EQ(outcome(0), Outcome::kept);
  EXPECT_TRUE(plan.nodes[0].ranges[0].refusal);
  outside = plan.outside;
  table.pop_back();
  nodes.pop_back();
  // The host says that this Node is another one by now.
  table[0].target_node.clear();
  table[0].blackhole = true;
  EXPECT_EQ(steps(), Texts{"-r1"});
  table[0].target_node = "a";
  table[0].blackhole = false;
  nodes.clear();
  EXPECT_EQ(steps(), Texts{"-r1"});
}

TEST_F(PlanTest, Issue37_2_OverlapIsAConflictWiderOrNarrower) {
  node("a", {"10.244.1.0/24"}).created = "2026-01-01T00:00:00Z";
  node("b", {"10.244.1.0/25"}).created = "2026-01-02T00:00:00Z";
  node("c", {"10.244.0.0/20"}).created = "2026-01-03T00:00:00Z";
  node("d", {"10.244.9.0/24"}).created = "2026-01-04T00:00:00Z";
  EXPECT_EQ(steps(), (Texts{"+10.244.1.0/24>a", "+10.244.9.0/24>d"}));
  EXPECT_EQ(outcome(1), Outcome::taken_by_node);
  EXPECT_EQ(plan.nodes[1].ranges[0].other, "a");
  EXPECT_EQ(outcome(2), Outcome::taken_by_node);
}

TEST_F(PlanTest, Issue37_2_ARouteWithinThatOfAnOlderNodeGoes) {
  node("a", {"10.244.1.0/24"}).created = "2026-01-01T00:00:00Z";
  node("b", {"10.244.1.0/25"}).created = "2026-01-02T00:00:00Z";
  route("10.244.1.0/24", "a");
  route("10.244.1.0/25", "b");
  EXPECT_EQ(steps(), Texts{"-r2"});
  EXPECT_EQ(outcome(0), Outcome::kept);
}

TEST_F(PlanTest, WhatIsNoRangeGetsNoRoute) {
  node("a", {"nonsense", "10.244.1.0/24", "10.244.1.0/24"});
  EXPECT_EQ(steps(), Texts{"+10.244.1.0/24>a"});
  EXPECT_EQ(outcome(0, 0), Outcome::not_a_range);
  EXPECT_EQ(plan.nodes[0].ranges.size(), 2U);
}

TEST_F(PlanTest, ARouteToNowhereIsReplacedInOneStep) {
  node("a", {"10.244.1.0/24"});
  route("10.244.1.0/24", "a").blackhole = true;
  route("10.244.1.0/24", "");
  EXPECT_EQ(steps(), Texts{"-r1 -r2 +10.244.1.0/24>a"});
}

TEST_F(PlanTest, ANewNodeTakesOverTheRangeOfOneThatLeft) {
  node("new", {"10.244.1.0/24"});
  route("10.244.1.0/24", "old");
  EXPECT_EQ(steps(), Texts{"-r1 +10.244.1.0/24>new"});
}

TEST_F(PlanTest, SomebodyElsesRouteIsInTheWay) {
  node("a", {"10.244.1.0/24"});
  Route& other = route("10.244.1.0/24", "");
  other.owned = false;
  EXPECT_TRUE(steps().empty());
  EXPECT_EQ(outcome(0), Outcome::taken_by_route);
  EXPECT_EQ(plan.nodes[0].ranges[0].other, "10.244.1.0/24 (r1)");
  other.target_node = "a";  // it does what is wanted
  EXPECT_EQ(outcome(0), Outcome::kept);
}

TEST_F(PlanTest, TwoNodesWithOneRangeTheOlderGetsTheRoute) {
  node("a", {"10.244.1.0/24"}).created = "2026-01-02T00:00:00Z";
  node("b", {"10.244.1.0/24"}).created = "2026-01-01T00:00:00Z";
  EXPECT_EQ(steps(), Texts{"+10.244.1.0/24>b"});
  EXPECT_EQ(outcome(0), Outcome::taken_by_node);
  EXPECT_EQ(plan.nodes[0].ranges[0].other, "b");
}

TEST_F(PlanTest, TwoNodesWithOneRangeTheOneWithTheRouteKeepsIt) {
  node("a", {"10.244.1.0/24"}).created = "2026-01-02T00:00:00Z";
  node("b", {"10.244.1.0/24"}).created = "2026-01-01T00:00:00Z";
  route("10.244.1.0/24", "a");
  EXPECT_TRUE(steps().empty());
  EXPECT_EQ(outcome(0), Outcome::kept);
  EXPECT_EQ(outcome(1), Outcome::taken_by_node);
  route("10.244.1.0/24", "b");  // then the older one does
  EXPECT_EQ(steps(), Texts{"-r1"});
  EXPECT_EQ(outcome(0), Outcome::taken_by_node);
  EXPECT_EQ(outcome(1), Outcome::kept);
}

TEST_F(PlanTest, NodesThatOnlyTheServerKnowsKeepTheirRoutes) {
  node("new", {"10.244.1.0/24"});
  route("10.244.1.0/24", "old");
  route("10.244.2.0/24", "other");
  unseen = {"old", "other"};
  EXPECT_TRUE(steps().empty());
  EXPECT_EQ(outcome(0), Outcome::waiting);
}

TEST_F(PlanTest, TRAP_25_WhatFailedWaitsForItsTime) {
  node("a", {"10.244.1.0/24"});
  route("10.244.2.0/24", "gone");
  not_due = "add uid-a 10.244.1.0/24";
  EXPECT_EQ(steps(), Texts{"-r1"});
  EXPECT_EQ(outcome(0), Outcome::waiting);
  not_due = "remove r1";
  EXPECT_EQ(steps(), Texts{"+10.244.1.0/24>a"});
}

TEST_F(PlanTest, AnOldAddressStaysUntilItCanBeReplaced) {
  node("a", {"10.244.1.0/24"});
  route("10.244.1.0/24", "");
  not_due = "add ";
  EXPECT_TRUE(steps().empty());
  table[0].blackhole = true;  // but not what leads nowhere
  EXPECT_EQ(steps(), Texts{"-r1"});
}

TEST_F(PlanTest, UnknownTargetsAreThoseOfRoutesThatWouldGo) {
  node("a", {"10.244.1.0/24"});
  route("10.244.1.0/24", "a");
  route("10.244.2.0/24", "gone");
  route("10.245.2.0/24", "outside");
  route("10.244.3.0/24", "foreign").owned = false;
  route("10.244.4.0/24", "");
  const PlanInput input{table, nodes, ranges, {}, {}, {}, {}};
  EXPECT_EQ(unknown_targets(input), std::set<std::string>{"gone"});
}

TEST_F(PlanTest, AFullTableServesTheOldestNodesAndNoneByHalf) {
  node("d", {"10.244.4.0/24", "fd00:10:0:4::/64"}).created = "2026-01-01T00:00:00Z";
  node("c", {"10.244.3.0/24", "fd00:10:0:3::/64"}).created = "2026-01-02T00:00:00Z";
  node("b", {"10.244.2.0/24"}).created = "2026-01-03T00:00:00Z";
  node("a", {"10.244.1.0/24"}).created = "2026-01-04T00:00:00Z";
  room = 3;
  EXPECT_EQ(steps(), (Texts{"+10.244.4.0/24>d", "+fd00:10:0:4::/64>d", "+10.244.2.0/24>b"}));
  EXPECT_EQ(outcome(1, 0), Outcome::table_full);
  EXPECT_EQ(outcome(1, 1), Outcome::table_full);
  EXPECT_EQ(outcome(3), Outcome::table_full);
  room = -2;
  EXPECT_TRUE(steps().empty());
}

TEST_F(PlanTest, WhatIsRemovedMakesRoom) {
  node("a", {"10.244.1.0/24"});
  node("b", {"10.244.2.0/24"});
  node("c", {"10.244.3.0/24"});
  route("10.244.9.0/24", "gone");
  route("10.244.1.0/24", "gone");
  room = 0;
  EXPECT_EQ(steps(), (Texts{"-r1", "-r2 +10.244.1.0/24>a", "+10.244.2.0/24>b"}));
  EXPECT_EQ(outcome(2), Outcome::table_full);
}

TEST_F(PlanTest, WhatTheConditionsSayIsCompared) {
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    NodeState& state = node("n" + n, {"10.244." + n + ".0/24"});
    state.network_status = "False";
    state.network_reason = i == 3 ? "CiliumIsUp" : "RouteCreated";
  }
  route("10.244.1.0/24", "n1");
  make();
  EXPECT_EQ(plan.expected, 3U);
  EXPECT_EQ(plan.missing, 2U);
}

// From any start, applying plans ends, and with each Node's route.
TEST_F(PlanTest, AnyTableConverges) {
  std::mt19937 random(11);
  for (int round = 0; round < 300; ++round) {
    table.clear();
    nodes.clear();
    for (unsigned i = 0; i < random() % 8; ++i) {
      const std::string width = random() % 3 == 0 ? ".0/25" : random() % 5 == 0 ? ".0/22" : ".0/24";
      node("n" + std::to_string(i), {"10.244." + std::to_string(random() % 6) + width});
    }
    for (unsigned i = 0; i < random() % 8; ++i) {
      Route& entry = route("10.244." + std::to_string(random() % 6) + ".0/24",
                           "n" + std::to_string(random() % 9));
      entry.owned = random() % 4 != 0;
      entry.blackhole = random() % 4 == 0;
    }
    const auto foreign =
        std::count_if(table.begin(), table.end(), [](const Route& entry) { return !entry.owned; });
    make();
    std::set<std::size_t> gone;
    std::vector<Route> next;
    for (const Step& step : plan.steps) {
      gone.insert(step.removals.begin(), step.removals.end());
      if (!step.addition) continue;
      const NodeState& target = nodes[step.addition->node];
      Route& added = next.emplace_back();
      added.id = "new" + std::to_string(next.size());
      added.destination_cidr = plan.nodes[step.addition->node].ranges[step.addition->range].text;
      added.target_node = target.name;
      added.owned = true;
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (gone.count(i) == 0) next.push_back(table[i]);
    }
    table = next;
    EXPECT_TRUE(steps().empty()) << "round " << round;
    for (std::size_t i = 0; i < table.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (!table[i].owned || !table[k].owned || table[i].target_node == table[k].target_node) {
          continue;
        }
        EXPECT_FALSE(
            parse_cidr(table[i].destination_cidr)->overlaps(*parse_cidr(table[k].destination_cidr)))
            << "round " << round;
      }
    }
    EXPECT_EQ(
        std::count_if(table.begin(), table.end(), [](const Route& entry) { return !entry.owned; }),
        foreign);
    for (const NodePlan& one : plan.nodes) {
      EXPECT_NE(one.ranges[0].outcome, Outcome::wanted);
    }
  }
}

}  // namespace
}  // namespace ccm::route

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
    for (const char* text : {"10.244.0.0/16", "fd00:10::/48"})
      clusters.push_back(*parse_cidr(text));
  }

  NodeState& node(const std::string& name, const Texts& ranges) {
    NodeState& state = nodes.emplace_back();
    state.name = name;
    state.uid = "uid-" + name;
    state.ranges = ranges;
    state.addresses = {{"InternalIP", "192.0.2.1"}, {"Hostname", name}};
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
    PlanInput input{table, nodes, clusters, uses_addresses, room, unseen, {}};
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
  std::vector<Cidr> clusters;
  bool uses_addresses = false;
  std::optional<int64_t> room;
  std::set<std::string> unseen;
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

TEST_F(PlanTest, ROUTE_15_16_AddressesCountOnlyWhereTheCloudUsesThem) {
  node("a", {"10.244.1.0/24"});
  Route& entry = route("10.244.1.0/24", "a");
  entry.target_addresses = {{"InternalIP", "192.0.2.9"}};
  EXPECT_TRUE(steps().empty());
  uses_addresses = true;
  EXPECT_EQ(steps(), Texts{"-r1 +10.244.1.0/24>a"});
  entry.target_addresses = {{"Hostname", "a"}, {"InternalIP", "192.0.2.1"}};
  EXPECT_TRUE(steps().empty());
  entry.target_addresses.push_back({"InternalIP", "192.0.2.1"});
  EXPECT_EQ(steps(), Texts{"-r1 +10.244.1.0/24>a"});
}

TEST_F(PlanTest, ANodeThatTellsNoAddressLosesNoRoute) {
  uses_addresses = true;
  node("a", {"10.244.1.0/24"}).addresses.clear();
  node("b", {"10.244.2.0/24"}).addresses.clear();
  route("10.244.1.0/24", "a").target_addresses = {{"InternalIP", "192.0.2.9"}};
  EXPECT_TRUE(steps().empty());
  EXPECT_EQ(outcome(0), Outcome::kept);
  EXPECT_EQ(outcome(1), Outcome::no_address);
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

TEST_F(PlanTest, ROUTE_18_20_OnlyWhatIsInsideOfTheClusterRangesIsRemoved) {
  route("10.245.0.0/24", "gone");
  route("10.244.0.0/15", "gone");  // its first address is inside, and upstream removes it
  route("10.0.0.0/8", "gone");
  route("192.168.0.0/24", "");
  route("nonsense", "gone");
  route("fd00:11::/64", "gone");
  EXPECT_TRUE(steps().empty());
  route("10.244.0.0/16", "gone");
  route("fd00:10:0:7::/64", "gone");
  EXPECT_EQ(steps(), (Texts{"-r7", "-r8"}));
}

TEST_F(PlanTest, ROUTE_20_ARangeOutsideGetsARouteThatIsMarkedSo) {
  node("a", {"10.99.1.0/24"});
  EXPECT_EQ(steps(), Texts{"+10.99.1.0/24>a"});
  EXPECT_TRUE(plan.nodes[0].ranges[0].outside);
  uses_addresses = true;  // one to an old address cannot be replaced
  route("10.99.1.0/24", "a");
  EXPECT_TRUE(steps().empty());
  EXPECT_EQ(outcome(0), Outcome::taken_by_route);
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

TEST_F(PlanTest, TwoNodesWithOneRangeWhoHasTheRouteKeepsIt) {
  node("a", {"10.244.1.0/24"}).created = "2026-01-02T00:00:00Z";
  node("b", {"10.244.1.0/24"}).created = "2026-01-01T00:00:00Z";
  route("10.244.1.0/24", "a");
  EXPECT_TRUE(steps().empty());
  EXPECT_EQ(outcome(0), Outcome::kept);
  EXPECT_EQ(outcome(1), Outcome::taken_by_node);
  route("10.244.1.0/24", "b");  // then the cloud decides, and nothing is removed
  EXPECT_TRUE(steps().empty());
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
  uses_addresses = true;
  node("a", {"10.244.1.0/24"});
  route("10.244.1.0/24", "a");
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
  const PlanInput input{table, nodes, clusters, false, {}, {}, {}};
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
    uses_addresses = random() % 2 == 0;
    for (unsigned i = 0; i < random() % 8; ++i) {
      node("n" + std::to_string(i), {"10.244." + std::to_string(random() % 6) + ".0/24"});
    }
    for (unsigned i = 0; i < random() % 8; ++i) {
      Route& entry = route("10.244." + std::to_string(random() % 6) + ".0/24",
                           "n" + std::to_string(random() % 9));
      entry.owned = random() % 4 != 0;
      entry.blackhole = random() % 4 == 0;
      if (random() % 2 == 0) {
        entry.target_addresses = {{"InternalIP", "192.0.2.1"}, {"Hostname", entry.target_node}};
      }
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
      added.target_addresses = target.addresses;
      added.owned = true;
    }
    for (std::size_t i = 0; i < table.size(); ++i) {
      if (gone.count(i) == 0) next.push_back(table[i]);
    }
    table = next;
    EXPECT_TRUE(steps().empty()) << "round " << round;
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

#include "ipam/ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace ccm::ipam {
namespace {

class LedgerTest : public ::testing::Test {
 protected:
  static Settings settings() {
    Settings settings;
    settings.pools.push_back({*parse_cidr("10.0.0.0/22"), 24});
    return settings;
  }
  static NodeState state(const std::string& uid, uint64_t version,
                         std::vector<std::string> cidrs = {}) {
    NodeState node;
    node.name = "n";
    node.uid = uid;
    node.version = version;
    node.cidrs = std::move(cidrs);
    return node;
  }
  void show(const NodeState& node) { (void)ledger.observe(node, Ledger::Source::watch); }
  [[nodiscard]] uint32_t taken() const { return ledger.pools()[0].blocks().taken(); }

  PoolMetrics metrics{Metrics()};
  Ledger ledger{settings(), metrics};
};

TEST_F(LedgerTest, AnOlderStateTakesNothingAway) {
  ASSERT_TRUE(ledger.reserve(state("u", 5), false).ok());
  ledger.settle(state("u", 7, {"10.0.0.0/24"}));
  EXPECT_TRUE(ledger.unseen("n"));
  show(state("u", 6));  // from before our write
  EXPECT_EQ(taken(), 1U);
  EXPECT_TRUE(ledger.has_claim(state("u", 6)));
  show(state("u", 7, {"10.0.0.0/24"}));
  EXPECT_FALSE(ledger.unseen("n"));
  EXPECT_EQ(taken(), 1U);
}

TEST_F(LedgerTest, TheEndOfAPredecessorTakesNothingAway) {
  ASSERT_TRUE(ledger.reserve(state("u2", 9), false).ok());
  ledger.settle(state("u2", 10, {"10.0.0.0/24"}));
  ledger.forget(state("u1", 8));
  EXPECT_EQ(taken(), 1U);
  ledger.forget(state("u2", 4));  // the last known state, as after a new listing
  EXPECT_EQ(taken(), 0U);
  EXPECT_EQ(ledger.take_freed(), 1U);
}

TEST_F(LedgerTest, ALaterNodeOfTheNameReplacesTheClaim) {
  show(state("u1", 5, {"10.0.0.0/24"}));
  show(state("u2", 4, {"10.0.1.0/24"}));  // older
  EXPECT_TRUE(ledger.has_claim(state("u1", 0)));
  show(state("u2", 6, {"10.0.1.0/24"}));
  EXPECT_TRUE(ledger.has_claim(state("u2", 0)));
  EXPECT_EQ(taken(), 1U);
  show(state("u3", 7));
  EXPECT_EQ(taken(), 0U);
}

TEST_F(LedgerTest, ANodeThatLeftWhileItWasWrittenLeavesNothing) {
  ASSERT_TRUE(ledger.reserve(state("u", 5), false).ok());
  ledger.forget(state("u", 8));
  EXPECT_EQ(taken(), 1U);  // the write is under way
  ledger.settle(state("u", 7, {"10.0.0.0/24"}));
  EXPECT_EQ(taken(), 0U);
  ASSERT_TRUE(ledger.reserve(state("u", 5), false).ok());
  ledger.forget(state("u", 8));
  ledger.keep("n");
  EXPECT_EQ(taken(), 0U);
}

TEST_F(LedgerTest, AnOpenReservationIsGivenAgainAndToNobodyElse) {
  const auto first = ledger.reserve(state("u", 5), false);
  ledger.keep("n");
  const auto second = ledger.reserve(state("u", 6), false);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ((*first)[0].text(), (*second)[0].text());
  EXPECT_EQ(taken(), 1U);
  ledger.keep("n");
  const auto other = ledger.reserve(state("u2", 9), false);  // made again under its name
  ASSERT_TRUE(other.ok());
  EXPECT_EQ(taken(), 1U);
}

TEST_F(LedgerTest, TheWatchMayBeFasterThanALostAnswer) {
  ASSERT_TRUE(ledger.reserve(state("u", 5), false).ok());
  show(state("u", 6, {"10.0.0.0/24"}));
  ledger.keep("n");
  EXPECT_EQ(taken(), 1U);
  EXPECT_TRUE(ledger.reserved("n").empty());
  ledger.forget(state("u", 7));
  EXPECT_EQ(taken(), 0U);
}

TEST_F(LedgerTest, ARangeThatIsBeingGivenToAnotherIsAConflict) {
  ASSERT_TRUE(ledger.reserve(state("u", 5), false).ok());
  NodeState other = state("v", 6, {"10.0.0.0/24"});
  other.name = "m";
  EXPECT_TRUE(ledger.observe(other, Ledger::Source::assigned));
  EXPECT_EQ(ledger.compare(), std::vector<std::string>{"m"});
  const auto trouble = ledger.trouble("m");
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "CIDRConflict");
  EXPECT_NE(trouble->message.find("being given to Node n"), std::string::npos);
  ledger.abandon("n");
  EXPECT_EQ(taken(), 1U);
  EXPECT_EQ(ledger.compare(), std::vector<std::string>{"m"});
  EXPECT_FALSE(ledger.trouble("m"));
}

// Claims that several Nodes have, as a kubelet may choose them.
class ClaimsTest : public ::testing::Test {
 protected:
  static NodeState claim(const std::string& name, const std::string& created,
                         std::vector<std::string> cidrs) {
    NodeState node;
    node.name = name;
    node.uid = "uid-of-" + name;
    node.created = created;
    node.cidrs = std::move(cidrs);
    return node;
  }
  static Settings settings() {
    Settings settings;
    settings.pools.push_back({*parse_cidr("10.244.0.0/16"), 24});
    settings.pools.push_back({*parse_cidr("fd00:244::/56"), 64});
    return settings;
  }
  struct Outcome {
    std::map<std::string, std::string> troubles;  // by name
    std::set<std::string> blocks;                 // that new Nodes get, until none are left
    bool operator==(const Outcome&) const = default;
  };
  Outcome outcome_of(const std::vector<NodeState>& nodes) {
    Ledger ledger(settings(), metrics);
    for (const NodeState& node : nodes) ledger.observe(node, Ledger::Source::watch);
    ledger.compare();
    Outcome outcome;
    for (const NodeState& node : nodes) {
      if (const auto found = ledger.trouble(node.name)) {
        outcome.troubles[node.name] = found->reason + ": " + found->message;
      }
    }
    for (int i = 0; i < 100; ++i) {
      const auto blocks = ledger.reserve(claim("new-" + std::to_string(i), "9", {}), false);
      if (!blocks.ok()) break;
      for (const Cidr& block : *blocks) outcome.blocks.insert(block.text());
    }
    return outcome;
  }
  PoolMetrics metrics{Metrics()};
};

TEST_F(ClaimsTest, Issue37_4_TheOrderInWhichNodesComeDoesNotMatter) {
  std::mt19937 random(4);
  std::vector<NodeState> nodes;
  for (int i = 0; i < 120; ++i) {
    Cidr range = *parse_cidr("10.244.0.0/16");
    range.prefix = 14 + static_cast<unsigned>(random() % 14);
    if (range.prefix > 16) {
      set_bit_field(range.network, 16, range.prefix, static_cast<uint32_t>(random()));
    } else {
      range = *parse_cidr("10.244.0.0/" + std::to_string(range.prefix));
    }
    std::string six = "fd00:244:0:" + std::to_string(random() % 40) + "::/64";
    nodes.push_back(claim("n" + std::to_string(i), std::to_string(random() % 5),
                          {range.text(), std::move(six)}));
  }
  const Outcome first = outcome_of(nodes);
  EXPECT_GT(first.troubles.size(), 20U);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(nodes.begin(), nodes.end(), random);
    EXPECT_EQ(outcome_of(nodes), first) << "round " << round;
  }
}

TEST_F(ClaimsTest, Issue37_4_TheOlderNodeKeepsWhatTwoClaim) {
  const NodeState old = claim("old", "2026-01-01T00:00:00Z", {"10.244.7.0/24"});
  const NodeState young = claim("young", "2026-02-01T00:00:00Z", {"10.244.7.128/25"});
  for (const auto& nodes : {std::vector{old, young}, std::vector{young, old}}) {
    const Outcome outcome = outcome_of(nodes);
    ASSERT_EQ(outcome.troubles.size(), 1U);
    EXPECT_EQ(outcome.troubles.at("young"),
              "CIDRConflict: The Node has the Pod range 10.244.7.128/25, but Node old, which is "
              "older, has it or a part of it. Make this Node again");
  }
}

TEST_F(ClaimsTest, Issue37_4_WhenTheOlderOneGoesTheYoungerOneIsRight) {
  Ledger ledger(settings(), metrics);
  const NodeState old = claim("old", "1", {"10.244.7.0/24"});
  ledger.observe(claim("young", "2", {"10.244.7.0/24"}), Ledger::Source::watch);
  EXPECT_FALSE(ledger.contested()) << "one Node alone";
  ledger.observe(old, Ledger::Source::watch);
  EXPECT_EQ(ledger.compare(), std::vector<std::string>{"young"});
  EXPECT_TRUE(ledger.trouble("young"));
  EXPECT_FALSE(ledger.contested());
  ledger.forget(old);
  EXPECT_TRUE(ledger.contested());
  EXPECT_EQ(ledger.compare(), std::vector<std::string>{"young"});
  EXPECT_FALSE(ledger.trouble("young"));
}

TEST_F(ClaimsTest, Issue37_4_AWideClaimHoldsNothing) {
  Ledger ledger(settings(), metrics);
  ledger.observe(claim("evil", "1", {"10.244.0.0/16", "fd00:244::/56"}), Ledger::Source::watch);
  EXPECT_EQ(ledger.pools()[0].blocks().taken(), 0U);
  EXPECT_EQ(ledger.pools()[1].blocks().taken(), 0U);
  ASSERT_TRUE(ledger.trouble("evil"));
  EXPECT_EQ(ledger.trouble("evil")->reason, "PodCIDRTooWide");
  EXPECT_NE(ledger.trouble("evil")->message.find("10.244.0.0/16"), std::string::npos);
}

// The API server permits one of each family; nothing here depends on it.
TEST_F(ClaimsTest, Issue37_4_OneBlockOfEachPoolAtMost) {
  Ledger ledger(settings(), metrics);
  ledger.observe(claim("evil", "1", {"10.244.0.0/24", "10.244.1.0/24", "10.244.2.0/26"}),
                 Ledger::Source::watch);
  EXPECT_EQ(ledger.pools()[0].blocks().taken(), 1U);
  EXPECT_EQ(ledger.trouble("evil")->reason, "PodCIDRTooWide");
  ledger.forget(claim("evil", "1", {}));
  EXPECT_EQ(ledger.pools()[0].blocks().taken(), 0U);
}

}  // namespace
}  // namespace ccm::ipam

#include "ipam/ledger.hpp"

#include <gtest/gtest.h>

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
  const auto trouble = ledger.observe(other, Ledger::Source::assigned);
  ASSERT_TRUE(trouble);
  EXPECT_EQ(trouble->reason, "CIDRConflict");
  EXPECT_NE(trouble->message.find("being given to Node n"), std::string::npos);
  ledger.abandon("n");
  EXPECT_EQ(taken(), 1U);
}

}  // namespace
}  // namespace ccm::ipam

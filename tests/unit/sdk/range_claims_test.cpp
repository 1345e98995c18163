// Which Node has which address range.
#include <ccm/range_claims.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace ccm {
namespace {

struct Given {
  const char* created;
  const char* uid;
  const char* range;
  int rank = 0;
};

constexpr const char* kJanuary = "2026-01-01T00:00:00Z";
constexpr const char* kFebruary = "2026-02-01T00:00:00Z";

std::vector<RangeClaim> claims_of(const std::vector<Given>& given) {
  std::vector<RangeClaim> claims;
  for (const Given& one : given) {
    claims.push_back({one.created, one.uid, *parse_cidr(one.range), one.rank});
  }
  return claims;
}

// For each claim the uid of the one that has its range; "" = it is its own.
std::vector<std::string> holders(const std::vector<Given>& given) {
  const auto claims = claims_of(given);
  std::vector<std::string> uids;
  for (const auto& holder : judge_ranges(claims)) {
    uids.emplace_back(holder ? claims[*holder].uid : std::string_view());
  }
  return uids;
}

using Uids = std::vector<std::string>;

TEST(RangeClaimsTest, RangesThatDoNotOverlapAreEachTheirOwn) {
  EXPECT_EQ(holders({{kJanuary, "a", "10.244.1.0/24"},
                     {kJanuary, "b", "10.244.2.0/24"},
                     {kJanuary, "c", "fd00::/64"},
                     {kJanuary, "d", "10.244.0.0/24"},
                     {kJanuary, "e", "10.244.3.128/25"},
                     {kJanuary, "f", "10.244.3.0/25"}}),
            Uids(6));
}

TEST(RangeClaimsTest, TheOlderNodeHasItWhetherItsRangeIsWiderOrNarrower) {
  EXPECT_EQ(holders({{kFebruary, "a", "10.244.1.0/24"}, {kJanuary, "b", "10.244.1.0/24"}}),
            (Uids{"b", ""}));
  EXPECT_EQ(holders({{kFebruary, "a", "10.244.1.0/25"}, {kJanuary, "b", "10.244.1.0/24"}}),
            (Uids{"b", ""}));
  EXPECT_EQ(holders({{kFebruary, "a", "10.244.0.0/16"}, {kJanuary, "b", "10.244.1.0/24"}}),
            (Uids{"b", ""}));
  EXPECT_EQ(holders({{kFebruary, "a", "10.244.1.128/25"}, {kJanuary, "b", "10.244.0.0/16"}}),
            (Uids{"b", ""}));
  EXPECT_EQ(holders({{kFebruary, "a", "0.0.0.0/0"}, {kJanuary, "b", "10.244.1.0/24"}}),
            (Uids{"b", ""}));
}

TEST(RangeClaimsTest, OfTheSameSecondTheSmallerUid) {
  EXPECT_EQ(holders({{kJanuary, "b", "10.244.1.0/25"}, {kJanuary, "a", "10.244.1.0/24"}}),
            (Uids{"a", ""}));
}

TEST(RangeClaimsTest, TheRankComesBeforeTheAge) {
  EXPECT_EQ(holders({{kJanuary, "a", "10.244.1.0/24"}, {kFebruary, "b", "10.244.1.0/24", -1}}),
            (Uids{"b", ""}));
  EXPECT_EQ(holders({{kJanuary, "a", "10.244.1.0/24", -1}, {kFebruary, "b", "10.244.1.0/25", -1}}),
            (Uids{"", "a"}));
}

// A Node that has nothing keeps nobody from anything.
TEST(RangeClaimsTest, OnlyWhatIsHeldCounts) {
  EXPECT_EQ(holders({{"1", "a", "10.244.1.0/25"},
                     {"2", "b", "10.244.0.0/16"},
                     {"3", "c", "10.244.7.0/24"},
                     {"4", "d", "10.244.1.0/24"}}),
            (Uids{"", "a", "", "a"}));
}

TEST(RangeClaimsTest, TheOrderDoesNotMatter) {
  std::mt19937 random(7);
  std::vector<std::string> uids;
  for (int i = 0; i < 400; ++i) uids.push_back(std::to_string(i));
  std::vector<RangeClaim> claims;
  for (int i = 0; i < 400; ++i) {
    Cidr range = *parse_cidr("10.244.0.0/16");
    range.prefix = 18 + static_cast<unsigned>(random() % 12);
    set_bit_field(range.network, 16, range.prefix, static_cast<uint32_t>(random()));
    const auto place = static_cast<std::size_t>(i);
    claims.push_back(
        {random() % 2 ? kJanuary : kFebruary, uids[place], range, static_cast<int>(random() % 3)});
  }
  const auto verdicts = [](const std::vector<RangeClaim>& given) {
    std::vector<std::pair<std::string_view, std::string_view>> all;
    const auto judged = judge_ranges(given);
    for (std::size_t i = 0; i < given.size(); ++i) {
      all.emplace_back(given[i].uid, judged[i] ? given[*judged[i]].uid : std::string_view());
    }
    std::sort(all.begin(), all.end());
    return all;
  };
  const auto first = verdicts(claims);
  const auto judged = judge_ranges(claims);
  for (std::size_t i = 0; i < claims.size(); ++i) {
    if (judged[i]) {
      EXPECT_TRUE(claims[i].range.overlaps(claims[*judged[i]].range));
      continue;
    }
    for (std::size_t k = 0; k < i; ++k) {
      EXPECT_TRUE(judged[k] || !claims[i].range.overlaps(claims[k].range)) << i << " and " << k;
    }
  }
  for (int round = 0; round < 5; ++round) {
    std::shuffle(claims.begin(), claims.end(), random);
    EXPECT_EQ(verdicts(claims), first);
  }
}

}  // namespace
}  // namespace ccm

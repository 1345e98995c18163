// Which Node has which instance.
#include <ccm/instance_claims.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm {
namespace {

std::string word(Claim claim) {
  switch (claim) {
    case Claim::unknown:
      return "unknown";
    case Claim::holds:
      return "holds";
    case Claim::no_instance:
      return "none";
    case Claim::of_another:
      return "another's";
  }
  return "?";
}

std::vector<std::string> words(const std::vector<InstanceClaim>& claims) {
  std::vector<std::string> text;
  for (const ClaimVerdict& verdict : judge_claims(claims)) text.push_back(word(verdict.claim));
  return text;
}

using Words = std::vector<std::string>;

constexpr const char* kJanuary = "2026-01-01T00:00:00Z";
constexpr const char* kFebruary = "2026-02-01T00:00:00Z";
constexpr const char* kMarch = "2026-03-01T00:00:00Z";
constexpr InstanceState kRuns = InstanceState::running;

TEST(InstanceClaimsTest, TheCloudHasToShowIt) {
  EXPECT_EQ(words({{kJanuary, "u1", InstanceState::running, "c://1"},
                   {kJanuary, "u2", InstanceState::shutdown, "c://2"},
                   {kJanuary, "u3", InstanceState::starting, "c://3"},
                   {kJanuary, "u4", InstanceState::absent, "c://4"},
                   {kJanuary, "u5", InstanceState::terminated, "c://5"},
                   {kJanuary, "u6", InstanceState::unknown, "c://6"},
                   {kJanuary, "u7"}}),
            (Words{"holds", "holds", "holds", "none", "none", "unknown", "unknown"}));
}

TEST(InstanceClaimsTest, OfTwoNodesTheOlderOneHasIt) {
  const std::vector<InstanceClaim> claims{{kFebruary, "a", kRuns, "c://1"},
                                          {kJanuary, "z", kRuns, "c://1"},
                                          {kMarch, "b", kRuns, "c://1"}};
  EXPECT_EQ(words(claims), (Words{"another's", "holds", "another's"}));
  EXPECT_EQ(judge_claims(claims)[0].holder, 1U);
  EXPECT_EQ(judge_claims(claims)[2].holder, 1U);
}

TEST(InstanceClaimsTest, OfTheSameSecondTheSmallerUid) {
  EXPECT_EQ(words({{kJanuary, "u2", kRuns, "c://1"}, {kJanuary, "u1", kRuns, "c://1"}}),
            (Words{"another's", "holds"}));
}

// What the cloud does not name cannot be compared.
TEST(InstanceClaimsTest, InstancesWithoutAProviderIdAreEachTheirOwn) {
  EXPECT_EQ(words({{kJanuary, "u1", kRuns, ""}, {kJanuary, "u2", kRuns, ""}}),
            (Words{"holds", "holds"}));
}

// A Node whose instance is gone or not known keeps nobody from it.
TEST(InstanceClaimsTest, OnlyWhatExistsIsHeld) {
  EXPECT_EQ(words({{kJanuary, "u1", InstanceState::absent, "c://1"},
                   {kJanuary, "u2", InstanceState::unknown, "c://1"},
                   {kFebruary, "u3", kRuns, "c://1"}}),
            (Words{"none", "unknown", "holds"}));
}

TEST(InstanceClaimsTest, ManyNodesOfWhichHalfAreLate) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5'000; ++i) ids.push_back("c://" + std::to_string(i));
  std::vector<InstanceClaim> claims;
  for (const char* created : {kJanuary, kFebruary}) {
    for (const std::string& id : ids) claims.push_back({created, "u", kRuns, id});
  }
  const auto verdicts = judge_claims(claims);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    EXPECT_EQ(verdicts[i].claim, Claim::holds);
    EXPECT_EQ(verdicts[ids.size() + i].claim, Claim::of_another);
    EXPECT_EQ(verdicts[ids.size() + i].holder, i);
  }
}

}  // namespace
}  // namespace ccm

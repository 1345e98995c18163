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

constexpr const char* kOlder = "2026-01-01T00:00:00Z";
constexpr const char* kYounger = "2026-02-01T00:00:00Z";
constexpr const char* kMarch = "2026-03-01T00:00:00Z";
constexpr InstanceState kRuns = InstanceState::running;

TEST(InstanceClaimsTest, TheCloudHasToShowIt) {
  EXPECT_EQ(words({{kOlder, "u1", InstanceState::running, "c://1"},
                   {kOlder, "u2", InstanceState::shutdown, "c://2"},
                   {kOlder, "u3", InstanceState::starting, "c://3"},
                   {kOlder, "u4", InstanceState::absent, "c://4"},
                   {kOlder, "u5", InstanceState::terminated, "c://5"},
                   {kOlder, "u6", InstanceState::unknown, "c://6"},
                   {kOlder, "u7"}}),
            (Words{"holds", "holds", "holds", "none", "none", "unknown", "unknown"}));
}

TEST(InstanceClaimsTest, OfTwoNodesTheOlderOneHasIt) {
  const std::vector<InstanceClaim> claims{{kYounger, "a", kRuns, "c://1"},
                                          {kOlder, "z", kRuns, "c://1"},
                                          {kMarch, "b", kRuns, "c://1"}};
  EXPECT_EQ(words(claims), (Words{"another's", "holds", "another's"}));
  EXPECT_EQ(judge_claims(claims)[0].holder, 1U);
  EXPECT_EQ(judge_claims(claims)[2].holder, 1U);
}

// A kubelet that registered without a provider ID may name one later, when its Node is the older
// one.
TEST(InstanceClaimsTest, Issue37_TheNodeOfTheInstancesNameHasItBeforeAnOlderOne) {
  const std::vector<InstanceClaim> claims{{kOlder, "a", kRuns, "c://1"},
                                          {kMarch, "z", kRuns, "c://1", true},
                                          {kYounger, "b", kRuns, "c://2"}};
  EXPECT_EQ(words(claims), (Words{"another's", "holds", "holds"}));
  EXPECT_EQ(judge_claims(claims)[0].holder, 1U);
}

TEST(InstanceClaimsTest, OfTheSameSecondTheSmallerUid) {
  EXPECT_EQ(words({{kOlder, "u2", kRuns, "c://1"}, {kOlder, "u1", kRuns, "c://1"}}),
            (Words{"another's", "holds"}));
}

// Instances that the cloud does not name cannot be compared.
TEST(InstanceClaimsTest, InstancesWithoutAProviderIdAreEachTheirOwn) {
  EXPECT_EQ(words({{kOlder, "u1", kRuns, ""}, {kOlder, "u2", kRuns, ""}}),
            (Words{"holds", "holds"}));
}

// A Node whose instance is gone or not known keeps nobody from it.
TEST(InstanceClaimsTest, OnlyWhatExistsIsHeld) {
  EXPECT_EQ(words({{kOlder, "u1", InstanceState::absent, "c://1"},
                   {kOlder, "u2", InstanceState::unknown, "c://1"},
                   {kYounger, "u3", kRuns, "c://1"}}),
            (Words{"none", "unknown", "holds"}));
}

TEST(InstanceClaimsTest, ManyNodesOfWhichHalfAreLate) {
  std::vector<std::string> ids;
  for (int i = 0; i < 5'000; ++i) ids.push_back("c://" + std::to_string(i));
  std::vector<InstanceClaim> claims;
  for (const char* created : {kOlder, kYounger}) {
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

// Which Pod ranges of Nodes get routes.
#include <ccm/pod_routes.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace ccm {
namespace {

class PodRoutesTest : public ::testing::Test {
 protected:
  PodRoutesTest() {
    ranges = RoutableRanges::of_flags([](std::string_view name) -> std::optional<std::string> {
      if (name == "cluster-cidr") return "10.244.0.0/16";
      if (name == "node-cidr-mask-size") return "24";
      return std::nullopt;
    });
  }
  void add(const char* created, const char* range, bool routed = false) {
    given.push_back({created, "", *parse_cidr(range), routed});
  }
  // "yes", "no: REASON", "no: behind 0", "stays: REASON" of each.
  std::vector<std::string> words() {
    std::vector<std::string> all;
    for (const PodRangeVerdict& verdict : judge_pod_ranges(ranges, given)) {
      std::string& word = all.emplace_back(verdict.routable ? "yes" : "no");
      if (verdict.refusal) {
        word = (verdict.routable ? "stays: " : "no: ") + std::string(verdict.refusal->reason);
      }
      if (verdict.holder) word += ": behind " + std::to_string(*verdict.holder);
    }
    return all;
  }
  using Words = std::vector<std::string>;

  RoutableRanges ranges;
  std::vector<PodRange> given;
};

TEST_F(PodRoutesTest, Issue37_2_OfOverlappingRangesTheOlderOnes) {
  add("2", "10.244.1.0/25");
  add("1", "10.244.1.0/24");
  add("3", "10.244.2.0/24");
  EXPECT_EQ(words(), (Words{"no: behind 1", "yes", "yes"}));
}

TEST_F(PodRoutesTest, Issue37_2_WhatIsRoutedKeepsItsRoute) {
  add("2", "10.244.1.0/25", true);
  add("1", "10.244.1.0/24");
  EXPECT_EQ(words(), (Words{"yes", "no: behind 0"}));
}

TEST_F(PodRoutesTest, Issue37_2_ARefusedRangeKeepsNobodyFromHis) {
  add("1", "10.244.0.0/16");
  add("1", "0.0.0.0/0");
  add("2", "10.244.1.0/24");
  EXPECT_EQ(words(), (Words{"no: PodCIDRTooWide", "no: PodCIDROutOfRange", "yes"}));
}

// As after a change of a flag, or with Nodes from before there was this rule.
TEST_F(PodRoutesTest, Issue37_2_ARouteThatIsThereMayStayButKeepsNobodyFromHis) {
  add("1", "10.245.1.0/24", true);
  add("1", "10.244.0.0/16", true);
  EXPECT_EQ(words(), (Words{"stays: PodCIDROutOfRange", "stays: PodCIDRTooWide"}));
  add("2", "10.244.1.0/24");
  EXPECT_EQ(words(), (Words{"stays: PodCIDROutOfRange", "no: PodCIDRTooWide: behind 2", "yes"}));
}

TEST_F(PodRoutesTest, Issue37_2_ARouteToNowhereDoesNotStay) {
  add("1", "169.254.169.254/32", true);
  add("1", "0.0.0.0/0", true);
  EXPECT_EQ(words(), (Words{"no: PodCIDROutOfRange", "no: PodCIDROutOfRange"}));
}

}  // namespace
}  // namespace ccm

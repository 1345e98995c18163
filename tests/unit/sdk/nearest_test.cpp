#include <ccm/nearest.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace ccm {
namespace {

const std::vector<std::string> kFlags{"cluster-cidr", "cluster-name", "cloud-config", "v"};
constexpr std::array<std::string_view, 4> kOptions = {"auth-url", "subnet-id", "region", "cloud"};

TEST(NearestTest, FindsSlips) {
  EXPECT_EQ(nearest("cluster-cdir", kFlags), "cluster-cidr");
  EXPECT_EQ(nearest("clustername", kFlags), "cluster-name");
  EXPECT_EQ(nearest("config", kFlags), "cloud-config");
  EXPECT_EQ(did_you_mean("cloud-confg", kFlags, "--"), " (did you mean --cloud-config?)");
  EXPECT_EQ(did_you_mean("auth-ulr", kOptions), " (did you mean auth-url?)");
  EXPECT_EQ(did_you_mean("Subnet-ID", kOptions), " (did you mean subnet-id?)");
  EXPECT_EQ(did_you_mean("regoin", kOptions), " (did you mean region?)");
}

TEST(NearestTest, SaysNothingWhenNothingIsClose) {
  EXPECT_EQ(nearest("logtostderr", kFlags), "");
  EXPECT_EQ(did_you_mean("xyz", kFlags), "");
  EXPECT_EQ(nearest("anything", std::vector<std::string>()), "");
  EXPECT_EQ(did_you_mean("password", kOptions), "");
  EXPECT_EQ(did_you_mean("", kOptions), "");
  EXPECT_EQ(did_you_mean(std::string(65, 'a'), kOptions), "");
}

TEST(NearestTest, TheFewestEditsDecide) {
  const std::vector<std::string> names{"http-ports", "tls-ports", "http2-ports"};
  EXPECT_EQ(nearest("tls-port", names), "tls-ports");
  EXPECT_EQ(nearest("http2-prots", names), "http2-ports");
  EXPECT_EQ(nearest("htp-port", names), "http-ports");
  EXPECT_EQ(nearest("abcdefghij", std::vector<std::string>{"abcdefg"}), "abcdefg");
  EXPECT_EQ(nearest("abcdexyzij", std::vector<std::string>{"abcdefghij"}), "abcdefghij");
  EXPECT_EQ(nearest("abcdwxyzij", std::vector<std::string>{"abcdefghij"}), "") << "four edits";
}

TEST(NearestTest, TheWorkHasABound) {
  const std::string prefix = "service.beta.kubernetes.io/do-loadbalancer-";
  std::vector<std::string> known;
  for (int i = 0; i < 50; ++i) known.push_back(prefix + "name-" + std::to_string(i));
  for (const std::size_t length : {10U, 60U, 128U, 300U, 100'000U}) {
    uint64_t work = 0;
    (void)nearest(prefix + std::string(length, 'x'), known, work);
    EXPECT_LE(work, 1'024 * known.size()) << length;
  }
}

TEST(SpellingHelpTest, Issue37_TwentyNamesOfAnObjectAreHelped) {
  SpellingHelp help(kOptions);
  EXPECT_TRUE(help.knows("region"));
  EXPECT_FALSE(help.knows("regio"));
  SpellingHelp::Report report;
  for (int i = 0; i < 4'500; ++i) help.add("regio" + std::to_string(i), report);
  ASSERT_EQ(report.named.size(), SpellingHelp::kMostNamed);
  EXPECT_EQ(report.others, 4'480U);
  EXPECT_EQ(report.named[0].name, "regio0");
  EXPECT_EQ(report.named[0].nearest, "region");
  EXPECT_LE(help.work(), 20U * 1'024U * kOptions.size());
}

TEST(SpellingHelpTest, Issue37_TheNextLookAtTheSameNamesCostsNothing) {
  SpellingHelp help(kOptions);
  SpellingHelp::Report first;
  help.add("regoin", first);
  help.add("something-else", first);
  const uint64_t work = help.work();
  EXPECT_GT(work, 0U);
  SpellingHelp::Report second;
  help.add("regoin", second);
  help.add("something-else", second);
  EXPECT_EQ(help.work(), work);
  EXPECT_EQ(second.named[0].nearest, "region");
  EXPECT_EQ(second.named[1].nearest, "");
}

}  // namespace
}  // namespace ccm

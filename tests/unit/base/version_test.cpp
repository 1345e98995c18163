#include "base/version.hpp"

#include <gtest/gtest.h>

namespace ccm {
namespace {

TEST(Version, HOST_133_UserAgent) {
  const std::string agent = user_agent("cloud-controller-manager", "leader-election");
  const std::string head = "cloud-controller-manager/" + std::string(version().text) + " (linux/";
  EXPECT_EQ(agent.substr(0, head.size()), head);
  const std::string tail =
      " kubernetes/" + std::string(version().commit.substr(0, 7)) + "/leader-election";
  EXPECT_EQ(agent.substr(agent.size() - tail.size()), tail);
}

TEST(Version, HasTheFormThatVersionFlagsTake) {
  EXPECT_EQ(version().text.substr(0, 1), "v");
  EXPECT_EQ(version().text.find(version().major), 1U);
}

TEST(Version, HOST_74_AnotherVersionIsReportedEverywhere) {
  const std::string built(version().text);
  report_version(built + "-custom.1");
  EXPECT_EQ(version().text, built + "-custom.1");
  EXPECT_NE(user_agent("ccm", "").find("ccm/" + built + "-custom.1 ("), std::string::npos);
  report_version(built);
  EXPECT_EQ(version().text, built);
}

}  // namespace
}  // namespace ccm

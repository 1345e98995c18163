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

}  // namespace
}  // namespace ccm

#include "openstack/config/nearest.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace ccm::openstack {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"auth-url", "subnet-id", "region", "cloud"};

TEST(NearestTest, TheOneWithTheFewestEdits) {
  EXPECT_EQ(did_you_mean("auth-ulr", kNames), " (did you mean auth-url?)");
  EXPECT_EQ(did_you_mean("Subnet-ID", kNames), " (did you mean subnet-id?)");
  EXPECT_EQ(did_you_mean("subnetid", kNames), " (did you mean subnet-id?)");
  EXPECT_EQ(did_you_mean("regoin", kNames), " (did you mean region?)");
}

TEST(NearestTest, NothingFarAway) {
  EXPECT_EQ(did_you_mean("password", kNames), "");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean(std::string(65, 'a'), kNames), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

}  // namespace
}  // namespace ccm::openstack

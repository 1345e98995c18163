#include "base/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace ccm {
namespace {

const std::vector<std::string> kNames{"cluster-cidr", "cluster-name", "cloud-config", "v"};

TEST(Nearest, FindsSlips) {
  EXPECT_EQ(nearest("cluster-cdir", kNames), "cluster-cidr");
  EXPECT_EQ(nearest("clustername", kNames), "cluster-name");
  EXPECT_EQ(nearest("config", kNames), "cloud-config");
  EXPECT_EQ(did_you_mean("cloud-confg", kNames, "--"), " (did you mean --cloud-config?)");
}

TEST(Nearest, SaysNothingWhenNothingIsClose) {
  EXPECT_EQ(nearest("logtostderr", kNames), "");
  EXPECT_EQ(did_you_mean("xyz", kNames), "");
  EXPECT_EQ(nearest("anything", {}), "");
}

}  // namespace
}  // namespace ccm

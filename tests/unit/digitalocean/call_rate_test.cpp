#include "digitalocean/call_rate.hpp"

#include <gtest/gtest.h>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;

TEST(CallRateTest, DO_17_OneRateHoldsForAllComponentsOfTheProcess) {
  const auto provider = CallRate::of_process();
  const auto firewall = CallRate::of_process();
  EXPECT_EQ(provider->take_turn(milliseconds(1000), 2), milliseconds(1000));
  EXPECT_EQ(firewall->take_turn(milliseconds(1000), 2), milliseconds(1500));
  EXPECT_EQ(provider->take_turn(milliseconds(1100), 2), milliseconds(2000));
}

TEST(CallRateTest, APauseInBetweenSavesNoTurns) {
  const auto rate = CallRate::of_process();
  EXPECT_EQ(rate->take_turn(milliseconds(1000), 10), milliseconds(1000));
  EXPECT_EQ(rate->take_turn(milliseconds(9000), 10), milliseconds(9000));
  EXPECT_EQ(rate->take_turn(milliseconds(9000), 10), milliseconds(9100));
}

}  // namespace
}  // namespace ccm::digitalocean

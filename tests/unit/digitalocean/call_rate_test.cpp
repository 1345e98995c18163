#include "digitalocean/call_rate.hpp"

#include <gtest/gtest.h>

namespace ccm::digitalocean {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNoDeadline = milliseconds::max();

TEST(CallRateTest, DO_17_OneRateHoldsForAllComponentsOfTheProcess) {
  const auto provider = CallRate::of_process();
  const auto firewall = CallRate::of_process();
  EXPECT_EQ(provider->take_turn(milliseconds(1000), 2, kNoDeadline), milliseconds(1000));
  EXPECT_EQ(firewall->take_turn(milliseconds(1000), 2, kNoDeadline), milliseconds(1500));
  EXPECT_EQ(provider->take_turn(milliseconds(1100), 2, kNoDeadline), milliseconds(2000));
}

TEST(CallRateTest, APauseInBetweenSavesNoTurns) {
  const auto rate = CallRate::of_process();
  EXPECT_EQ(rate->take_turn(milliseconds(1000), 10, kNoDeadline), milliseconds(1000));
  EXPECT_EQ(rate->take_turn(milliseconds(9000), 10, kNoDeadline), milliseconds(9000));
  EXPECT_EQ(rate->take_turn(milliseconds(9000), 10, kNoDeadline), milliseconds(9100));
}

TEST(CallRateTest, DO_17_ATurnThatComesTooLateIsNotTaken) {
  const auto rate = CallRate::of_process();
  EXPECT_EQ(rate->take_turn(milliseconds(1000), 2, milliseconds(0)), milliseconds(1000));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(rate->take_turn(milliseconds(1000), 2, milliseconds(499)), milliseconds(1500));
  }
  EXPECT_EQ(rate->take_turn(milliseconds(1000), 2, milliseconds(500)), milliseconds(1500));
  EXPECT_EQ(rate->take_turn(milliseconds(1000), 2, kNoDeadline), milliseconds(2000));
}

}  // namespace
}  // namespace ccm::digitalocean

#include "node-lifecycle/look_pace.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

namespace ccm::node_lifecycle {
namespace {

using namespace std::chrono_literals;

class LookPaceTest : public ::testing::Test {
 protected:
  // Looks at the Node whenever it may; how often within that time.
  int looks(LookPace& pace, std::chrono::milliseconds time, const char* name = "n") {
    int count = 0;
    for (const auto end = now_ + time; now_ < end;) {
      const auto wait = pace.wait(name, now_);
      now_ += wait;
      if (now_ >= end) break;
      ++count;
      now_ += pace.look(name, now_);
    }
    return count;
  }
  std::chrono::milliseconds now_{1h};
};

TEST_F(LookPaceTest, EveryPeriodForTwoMinutesThenEveryTwoMinutes) {
  LookPace pace(5s);
  EXPECT_EQ(looks(pace, 2min), 24);
  EXPECT_EQ(looks(pace, 1h), 30);
}

TEST_F(LookPaceTest, AShortPeriodIsSlowedDownLikewiseAndALongOneIsNot) {
  LookPace fast(300ms);
  EXPECT_EQ(looks(fast, 7'200ms), 24);
  EXPECT_EQ(looks(fast, 72s), 10);
  LookPace slow(5min);
  EXPECT_EQ(looks(slow, 10h), 120);
}

TEST_F(LookPaceTest, LooksComeBackWhileNoneIsNeeded) {
  LookPace pace(5s);
  looks(pace, 2min);
  now_ += 20min;
  EXPECT_EQ(looks(pace, 1min), 10 + 1);
  now_ += 24h;
  EXPECT_EQ(looks(pace, 2min), 24) << "never more";
}

TEST_F(LookPaceTest, ANodeHasItsOwnAndKeepsItAmongManyOthers) {
  LookPace pace(5s);
  for (int i = 0; i < LookPace::kQuick; ++i) pace.look("n", now_);
  EXPECT_EQ(pace.wait("m", now_), 0s);
  for (int i = 0; i < 10'000; ++i) pace.look("other-" + std::to_string(i), now_);
  EXPECT_GT(pace.wait("n", now_), 0s);
}

TEST_F(LookPaceTest, WhatTheCloudTellsNeedNotWait) {
  LookPace pace(5s);
  looks(pace, 10min);
  pace.hinted("n", now_);
  EXPECT_EQ(pace.wait("n", now_), 0s);
  pace.look("n", now_);
  EXPECT_GT(pace.wait("n", now_), 100s);
}

}  // namespace
}  // namespace ccm::node_lifecycle

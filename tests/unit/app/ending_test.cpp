// The way and the exit code with which each cause ends the process.
#include "app/ending.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

struct EndingTest : testing::Test {
  int stops = 0;
  Ending ending{[this] { ++stops; }};
  int words = 0;

  void end(Cause cause) {
    ending.end(cause, [this] { ++words; });
  }
};

TEST_F(EndingTest, SignalBeforeTheStartHasEndedLeavesAtOnce) {
  EXPECT_TRUE(ending.at_once(Cause::signal));
  EXPECT_EXIT(end(Cause::signal), testing::ExitedWithCode(kExitOk), "");
}

TEST_F(EndingTest, SignalBeginsTheOrderlyStopOnce) {
  ending.started();
  EXPECT_FALSE(ending.at_once(Cause::signal));
  end(Cause::signal);
  end(Cause::failure);
  EXPECT_TRUE(ending.stopping());
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(words, 2) << "each cause is logged";
  EXPECT_EQ(ending.exit_code(), kExitOk) << "the first cause decides";
}

TEST_F(EndingTest, FailureWhileStartingStopsInOrder) {
  end(Cause::failure);
  EXPECT_EQ(stops, 1);
  EXPECT_EQ(ending.exit_code(), kExitFatal);
}

TEST_F(EndingTest, SignalAfterAFailureDoesNotHideIt) {
  end(Cause::failure);
  EXPECT_FALSE(ending.at_once(Cause::signal));
  end(Cause::signal);
  EXPECT_EQ(ending.exit_code(), kExitFatal);
  EXPECT_EXIT(end(Cause::stop_limit), testing::ExitedWithCode(kExitFatal), "");
}

TEST_F(EndingTest, StartDoesNotGoOnOnceItStops) {
  end(Cause::failure);
  ending.started();
  EXPECT_TRUE(ending.stopping());
}

TEST_F(EndingTest, LimitKeepsTheExitCodeOfTheStop) {
  ending.started();
  end(Cause::trust);
  EXPECT_EXIT(end(Cause::stop_limit), testing::ExitedWithCode(kExitBadOptions), "");
}

TEST_F(EndingTest, LostLeaseLeavesAtOnce) {
  ending.started();
  EXPECT_EXIT(end(Cause::lease_lost), testing::ExitedWithCode(kExitLeadershipLost), "");
}

TEST_F(EndingTest, SecondSignalAndExceptionLeaveAtOnce) {
  ending.started();
  end(Cause::signal);
  EXPECT_EXIT(end(Cause::second_signal), testing::ExitedWithCode(kExitFatal), "");
  EXPECT_EXIT(end(Cause::exception), testing::ExitedWithCode(kExitFatal), "");
}

}  // namespace
}  // namespace ccm::app

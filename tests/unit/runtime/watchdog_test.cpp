#include "runtime/watchdog.hpp"

#include "manual_timers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm::runtime {
namespace {

using namespace std::chrono_literals;

class WatchdogTest : public testing::Test {
 protected:
  void call(std::chrono::milliseconds duration) {
    const Watchdog::Scope scope(watchdog_, component_, "reconcile");
    timers_.skip(duration);
  }

  ManualTimers timers_;
  std::vector<std::string> stalls_;
  Watchdog watchdog_{
      timers_, [this](const Watchdog::Stall& stall) {
        stalls_.push_back(std::string(stall.component) + "." + std::string(stall.operation));
      }};
  WatchedComponent& component_ = watchdog_.component("node");
};

TEST_F(WatchdogTest, NamesTheComponentThatHeldTheLoop) {
  call(50ms);
  EXPECT_TRUE(stalls_.empty());
  call(51ms);
  ASSERT_EQ(stalls_.size(), 1u);
  EXPECT_EQ(stalls_[0], "node.reconcile");
  EXPECT_EQ(component_.stalls(), 1u);
}

TEST_F(WatchdogTest, TellsWhatRunsNow) {
  EXPECT_FALSE(watchdog_.running());
  const Watchdog::Scope outer(watchdog_, component_, "reconcile");
  timers_.skip(20ms);
  {
    const Watchdog::Scope inner(watchdog_, watchdog_.component("sandbox", "ccm.sandbox"), "list");
    timers_.skip(10ms);
    const auto running = watchdog_.running();
    ASSERT_TRUE(running);
    EXPECT_EQ(running->component->name(), "sandbox");
    EXPECT_EQ(running->component->plugin(), "ccm.sandbox");
    EXPECT_EQ(running->operation, "list");
    EXPECT_EQ(running->duration, 10ms);
    EXPECT_EQ(running->held, 30ms) << "plugins have held the loop since the outer call began";
  }
  const auto running = watchdog_.running();
  ASSERT_TRUE(running);
  EXPECT_EQ(running->component->name(), "node");
  EXPECT_EQ(running->operation, "reconcile");
  EXPECT_EQ(running->duration, 30ms);
}

TEST_F(WatchdogTest, TenStallsAMinuteDegradeUntilTheMinuteIsOver) {
  for (int stall = 0; stall < 9; ++stall) call(60ms);
  EXPECT_FALSE(component_.degraded(timers_.now()));
  call(60ms);
  EXPECT_TRUE(component_.degraded(timers_.now()));
  timers_.skip(61s);
  EXPECT_FALSE(component_.degraded(timers_.now()));
}

TEST_F(WatchdogTest, ThreeMissedDeadlinesInARowDegradeUntilOneIsKept) {
  watchdog_.operation_ended(component_, false);
  watchdog_.operation_ended(component_, false);
  EXPECT_FALSE(component_.degraded(timers_.now()));
  watchdog_.operation_ended(component_, false);
  EXPECT_TRUE(component_.degraded(timers_.now()));
  watchdog_.operation_ended(component_, true);
  EXPECT_FALSE(component_.degraded(timers_.now()));
  EXPECT_EQ(component_.missed_deadlines(), 3u);
}

}  // namespace
}  // namespace ccm::runtime

#include "base/log.hpp"
#include "runtime/watchdog.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ccm::runtime {
namespace {

using namespace std::chrono_literals;

// A loop that runs on a thread of its own, and a plugin's call on it that lasts as long as wanted.
class StallMonitorTest : public testing::Test {
 protected:
  StallMonitorTest() {
    log::redirect([this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    });
    loop_.post([this] { running_ = true; });
    thread_ = std::thread([this] { loop_.run(); });
    wait_for([this] { return running_.load(); });
  }
  ~StallMonitorTest() override {
    release_ = true;
    loop_.stop();
    thread_.join();
    log::redirect({});
  }
  void block(bool in_plugin) {
    loop_.post([this, in_plugin] {
      std::optional<Watchdog::Scope> scope;
      if (in_plugin) scope.emplace(watchdog_, component_, "reconcile");
      blocked_ = true;
      while (!release_) std::this_thread::sleep_for(1ms);
    });
    wait_for([this] { return blocked_.load(); });
  }
  std::size_t lines_with(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        lines_.begin(), lines_.end(),
        [&](const std::string& line) { return line.find(text) != std::string::npos; }));
  }
  static void wait_for(const std::function<bool()>& condition) {
    const auto limit = std::chrono::steady_clock::now() + 20s;
    while (!condition() && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(1ms);
    }
    ASSERT_TRUE(condition());
  }

  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::atomic<bool> running_ = false;
  std::atomic<bool> blocked_ = false;
  std::atomic<bool> release_ = false;
  EventLoop loop_;
  Watchdog watchdog_{loop_.timers(), {}};
  WatchedComponent& component_ = watchdog_.component("node", "ccm.node");
  StallMonitor monitor_{loop_, [this] { return watchdog_.running(); }};
  std::thread thread_;
};

TEST_F(StallMonitorTest, NamesThePluginWhileItStillBlocks) {
  monitor_.start();
  block(true);
  wait_for([this] { return lines_with("A plugin blocks the host's loop") >= 2; });
  EXPECT_GE(lines_with("plugin=\"ccm.node\""), 1u);
  EXPECT_GE(lines_with("component=\"node\" operation=\"reconcile\" duration=\"1."), 1u);
  EXPECT_GE(lines_with("duration=\"2."), 1u);
  EXPECT_LE(lines_with("blocks the host's loop"), 3u) << "it is told at doubling ages";
}

TEST_F(StallMonitorTest, TellsWhenNoPluginIsToBlame) {
  monitor_.start();
  block(false);
  wait_for([this] { return lines_with("blocked outside of any plugin") >= 1; });
  EXPECT_EQ(lines_with("A plugin blocks"), 0u);
}

TEST_F(StallMonitorTest, APluginIsForgivenUntilItsGraceIsOverAndThenNamed) {
  EXPECT_TRUE(monitor_.alive(10s, 0s).ok());
  block(true);
  wait_for([this] { return loop_.heartbeat_age() > 300ms; });
  EXPECT_TRUE(monitor_.alive(200ms, 60s).ok());
  EXPECT_TRUE(monitor_.alive(60s, 0s).ok()) << "the heartbeat is young enough";
  const Status strict = monitor_.alive(200ms, 0s);
  EXPECT_EQ(strict.code(), Code::unavailable);
  EXPECT_NE(strict.message().find("plugin ccm.node, component node, operation reconcile"),
            std::string::npos)
      << strict.message();
  EXPECT_FALSE(monitor_.alive(200ms, 250ms).ok()) << "its grace is over";
}

TEST_F(StallMonitorTest, AHostThatHangsByItselfIsNotForgiven) {
  block(false);
  wait_for([this] { return loop_.heartbeat_age() > 300ms; });
  const Status status = monitor_.alive(200ms, 60s);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message().find("plugin"), std::string::npos);
}

}  // namespace
}  // namespace ccm::runtime

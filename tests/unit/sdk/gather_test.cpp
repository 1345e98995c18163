#include <ccm/gather.hpp>
#include <ccm/testing/fake_component.hpp>
#include <ccm/testing/plugin_of.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>

namespace ccm {
namespace {

using testing::Dispatch;
using testing::FakeComponent;
using testing::FakeHost;
using testing::plugin_of;

struct Gathers {
  explicit Gathers(Host& h) : host(h) {}
  Task<Status> one(std::size_t number) {
    order += std::to_string(number);
    most = std::max(most, ++running);
    Status slept = co_await host.timer.sleep(host.background(), std::chrono::milliseconds(10));
    --running;
    if (number == throws) throw std::runtime_error("thrown");
    co_return number == fails ? Status(Code::aborted, "failed") : slept;
  }
  Task<Status> initialize(Ctx) {
    auto work = [this](std::size_t number) { return one(number); };
    Task<Status> all = gather(host.post, count, parallel, work);
    Status status = co_await std::move(all);
    co_return status;
  }

  Host& host;
  static inline std::size_t count, parallel, fails, throws;
  static inline std::string order;
  static inline int running, most;
};

class GatherTest : public ::testing::Test {
 protected:
  GatherTest() {
    Gathers::fails = Gathers::throws = 99;
    Gathers::order.clear();
    Gathers::running = Gathers::most = 0;
  }
  Status gathered(std::size_t count, std::size_t parallel) {
    Gathers::count = count;
    Gathers::parallel = parallel;
    return component.initialize();
  }
  FakeHost host;
  FakeComponent component{host, plugin_of<Gathers, Dispatch::loop>(), "test"};
};

TEST_F(GatherTest, RunsAllInOrderAndNoMoreThanAllowedAtOnce) {
  EXPECT_TRUE(gathered(7, 3).ok());
  EXPECT_EQ(Gathers::order, "0123456");
  EXPECT_EQ(Gathers::most, 3);
  EXPECT_EQ(Gathers::running, 0);
}

TEST_F(GatherTest, NothingToDoIsDone) {
  EXPECT_TRUE(gathered(0, 3).ok());
  EXPECT_EQ(Gathers::order, "");
}

TEST_F(GatherTest, AWidthOfNoneIsOne) {
  EXPECT_TRUE(gathered(3, 0).ok());
  EXPECT_EQ(Gathers::order, "012");
  EXPECT_EQ(Gathers::most, 1);
}

TEST_F(GatherTest, AfterAFailureNothingIsStartedAndWhatRunsIsWaitedFor) {
  Gathers::fails = 1;
  EXPECT_EQ(gathered(9, 3).code(), Code::aborted);
  EXPECT_LE(Gathers::order.size(), 4U);
  EXPECT_EQ(Gathers::running, 0);
}

TEST_F(GatherTest, WhatATaskThrowsIsTheOutcome) {
  Gathers::throws = 0;
  EXPECT_FALSE(gathered(4, 1).ok());
}

}  // namespace
}  // namespace ccm

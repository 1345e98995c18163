#include "runtime/event_loop.hpp"

#include "../../support/eventually.hpp"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace ccm::runtime {
namespace {

using namespace std::chrono_literals;

TEST(EventLoop, KnowsItsThread) {
  EventLoop loop;
  EXPECT_FALSE(loop.on_loop());
  std::thread runner([&] { loop.run(); });
  std::promise<bool> inside;
  loop.post([&] { inside.set_value(loop.on_loop()); });
  EXPECT_TRUE(inside.get_future().get());
  EXPECT_FALSE(loop.on_loop());
  loop.stop();
  runner.join();
}

TEST(EventLoop, ItsHeartbeatAgesOnlyWhileItStands) {
  EventLoop loop;
  std::thread runner([&] { loop.run(); });
  std::promise<void> held;
  std::promise<void> go;
  loop.post([&] {
    held.set_value();
    go.get_future().wait();
  });
  held.get_future().wait();
  while (loop.heartbeat_age() < 300ms) std::this_thread::yield();  // longer than a beat: it stands
  go.set_value();
  const auto limit = std::chrono::steady_clock::now() + support::patience();
  while (loop.heartbeat_age() > 200ms && std::chrono::steady_clock::now() < limit) {
    std::this_thread::yield();
  }
  EXPECT_LE(loop.heartbeat_age(), 200ms);
  loop.stop();
  runner.join();
}

TEST(LoopTimers, FireInTheOrderOfTheirTimes) {
  EventLoop loop;
  std::vector<int> order;
  loop.timers().after(20ms, [&] { order.push_back(2); });
  loop.timers().after(1ms, [&] { order.push_back(1); });
  const auto dropped = loop.timers().after(5ms, [&] { order.push_back(9); });
  EXPECT_TRUE(loop.timers().cancel(dropped));
  EXPECT_FALSE(loop.timers().cancel(dropped));
  const auto limit = std::chrono::steady_clock::now() + support::patience();
  while (order.size() < 2 && std::chrono::steady_clock::now() < limit) loop.run_for(100ms);
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(LoopTimers, OneTimerCancelsAnotherThatIsDueAsWell) {
  EventLoop loop;
  bool first = false;
  bool second = false;
  Timers::Id other = 0;
  loop.timers().after(0ms, [&] {
    first = true;
    EXPECT_TRUE(loop.timers().cancel(other));
  });
  other = loop.timers().after(0ms, [&] { second = true; });
  const auto limit = std::chrono::steady_clock::now() + support::patience();
  while (!first && std::chrono::steady_clock::now() < limit) loop.run_for(100ms);
  loop.poll();
  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
}

TEST(EventLoop, WhatStillWaitsAtItsEndMayUseItsTimers) {
  struct Holder {
    Timers& timers;
    Timers::Id id;
    int& ended;
    Holder(Timers& timers, Timers::Id id, int& ended) : timers(timers), id(id), ended(ended) {}
    Holder(const Holder&) = delete;
    Holder& operator=(const Holder&) = delete;
    ~Holder() {
      timers.cancel(id);
      ++ended;
    }
  };
  int ended = 0;
  {
    EventLoop loop;
    const auto id = loop.timers().after(1h, [] {});
    loop.post([holder = std::make_shared<Holder>(loop.timers(), id, ended)] {});
    const auto other = loop.timers().after(2h, [] {});
    loop.timers().after(1h, [holder = std::make_shared<Holder>(loop.timers(), other, ended)] {});
  }
  EXPECT_EQ(ended, 2);
}

TEST(LoopTimers, MayBeSetFromAnyThread) {
  EventLoop loop;
  std::thread runner([&] { loop.run(); });
  std::promise<bool> fired;
  loop.timers().after(1h, [] {});
  loop.timers().after(1ms, [&] { fired.set_value(loop.on_loop()); });
  EXPECT_TRUE(fired.get_future().get());
  loop.stop();
  runner.join();
}

}  // namespace
}  // namespace ccm::runtime

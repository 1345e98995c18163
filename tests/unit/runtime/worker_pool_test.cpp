#include "runtime/worker_pool.hpp"

#include "../../support/eventually.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <string>
#include <vector>

namespace ccm::runtime {
namespace {

using namespace std::chrono_literals;

TEST(WorkerPool, StartsThreadsOnDemandUpToTheLimit) {
  WorkerPool pool({2, 10s});
  EXPECT_EQ(pool.threads(), 0u);
  const auto lane = pool.lane("provider", 8);
  std::latch all(3);
  std::promise<void> go;
  const auto gate = go.get_future().share();
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  for (int task = 0; task < 3; ++task) {
    ASSERT_TRUE(lane->submit([&, gate] {
                      most = std::max(most.load(), ++running);
                      gate.wait();
                      --running;
                      all.count_down();
                    })
                    .ok());
  }
  EXPECT_EQ(pool.threads(), 2u);
  go.set_value();
  all.wait();
  EXPECT_LE(most, 2);
}

TEST(WorkerPool, ALaneKeepsItsOwnLimitAndOrder) {
  WorkerPool pool({4, 10s});
  const auto lane = pool.lane("serial", 1);
  std::vector<int> order;  // written by one task at a time
  std::latch all(20);
  for (int task = 0; task < 20; ++task) {
    ASSERT_TRUE(lane->submit([&, task] {
                      order.push_back(task);
                      all.count_down();
                    })
                    .ok());
  }
  all.wait();
  ASSERT_EQ(order.size(), 20u);
  for (int task = 0; task < 20; ++task) EXPECT_EQ(order[task], task);
}

TEST(WorkerPool, ABlockedLaneDoesNotHoldUpAnother) {
  WorkerPool pool({4, 10s});
  const auto blocked = pool.lane("blocked", 1);
  const auto free = pool.lane("free", 1);
  std::promise<void> go;
  ASSERT_TRUE(blocked->submit([gate = go.get_future().share()] { gate.wait(); }).ok());
  ASSERT_TRUE(blocked->submit([] {}).ok());
  std::promise<std::string> name;
  ASSERT_TRUE(free->submit([&] { name.set_value(*WorkerPool::current_lane()); }).ok());
  EXPECT_EQ(name.get_future().get(), "free");
  EXPECT_EQ(blocked->waiting(), 1u);
  EXPECT_EQ(WorkerPool::current_lane(), nullptr);
  go.set_value();
}

TEST(WorkerPool, StopWaitsForRunningTasksAndRefusesNewOnes) {
  auto pool = std::make_unique<WorkerPool>(WorkerPool::Options{2, 10s});
  const auto lane = pool->lane("provider", 1);
  std::promise<void> started;
  std::promise<void> go;
  std::atomic<bool> second{false};
  ASSERT_TRUE(lane->submit([&, gate = go.get_future().share()] {
                    started.set_value();
                    gate.wait();
                  })
                  .ok());
  ASSERT_TRUE(lane->submit([&] { second = true; }).ok());
  started.get_future().wait();
  EXPECT_EQ(pool->stop(1ms), 1u) << "a blocked task is reported, not waited for";
  EXPECT_EQ(lane->submit([] {}).status().code(), Code::unavailable);
  go.set_value();
  EXPECT_EQ(pool->stop(10s), 0u);
  EXPECT_FALSE(second) << "a task that had not started was dropped";
  pool.reset();
  EXPECT_EQ(lane->submit([] {}).status().code(), Code::unavailable) << "a lane outlives its pool";
}

TEST(WorkerPool, WhatHasNotStartedCanBeWithdrawn) {
  WorkerPool pool({1, 10s});
  const auto lane = pool.lane("provider", 1);
  const auto other = pool.lane("other", 1);
  std::promise<void> started;
  std::promise<void> go;
  const auto running = lane->submit([&, gate = go.get_future().share()] {
    started.set_value();
    gate.wait();
  });
  ASSERT_TRUE(running.ok());
  started.get_future().wait();
  std::atomic<bool> withdrawn{false};
  const auto kept = std::make_shared<int>(1);
  const auto waits_for_its_lane = lane->submit([&, kept] { withdrawn = true; });
  const auto waits_for_a_thread = other->submit([&, kept] { withdrawn = true; });
  std::promise<void> ran;
  ASSERT_TRUE(other->submit([&] { ran.set_value(); }).ok());
  ASSERT_TRUE(waits_for_its_lane.ok() && waits_for_a_thread.ok());
  EXPECT_TRUE(lane->withdraw(*waits_for_its_lane));
  EXPECT_TRUE(other->withdraw(*waits_for_a_thread));
  EXPECT_EQ(kept.use_count(), 1) << "nothing of them is kept";
  EXPECT_FALSE(lane->withdraw(*waits_for_its_lane)) << "it is gone";
  EXPECT_FALSE(lane->withdraw(*running)) << "it runs";
  EXPECT_EQ(lane->waiting(), 0u);
  go.set_value();
  ran.get_future().wait();  // the next one of that lane has moved up
  EXPECT_FALSE(withdrawn);
}

TEST(WorkerPool, IdleThreadsEnd) {
  WorkerPool pool({2, 1ms});
  const auto lane = pool.lane("provider", 1);
  std::promise<void> ran;
  ASSERT_TRUE(lane->submit([&] { ran.set_value(); }).ok());
  ran.get_future().wait();
  const auto limit = std::chrono::steady_clock::now() + support::patience();
  while (pool.threads() != 0 && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
  EXPECT_EQ(pool.threads(), 0u);
}

}  // namespace
}  // namespace ccm::runtime

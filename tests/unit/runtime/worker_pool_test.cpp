#include "runtime/worker_pool.hpp"

#include "../../support/eventually.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

namespace ccm::runtime {
namespace {

using namespace std::chrono_literals;

TEST(WorkerPool, StartsThreadsOnDemandUpToTheLimit) {
  WorkerPool pool({2, 10s});
  const auto lane = pool.lane(8);
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
  while (running < 2) std::this_thread::yield();
  go.set_value();
  all.wait();
  EXPECT_LE(most, 2);
}

TEST(WorkerPool, ALaneKeepsItsOwnLimitAndOrder) {
  WorkerPool pool({4, 10s});
  const auto lane = pool.lane(1);
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
  const auto blocked = pool.lane(1);
  const auto free = pool.lane(1);
  std::promise<void> go;
  ASSERT_TRUE(blocked->submit([gate = go.get_future().share()] { gate.wait(); }).ok());
  ASSERT_TRUE(blocked->submit([] {}).ok());
  std::promise<void> ran;
  ASSERT_TRUE(free->submit([&] { ran.set_value(); }).ok());
  ran.get_future().wait();
  EXPECT_EQ(blocked->waiting(), 1u);
  go.set_value();
}

TEST(WorkerPool, StopWaitsForRunningTasksAndRefusesNewOnes) {
  auto pool = std::make_unique<WorkerPool>(WorkerPool::Options{2, 10s});
  const auto lane = pool->lane(1);
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
  const auto lane = pool.lane(1);
  const auto other = pool.lane(1);
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

// Tells when the thread ends that has one of these.
struct AtThreadEnd {
  std::shared_ptr<std::promise<void>> ended;
  ~AtThreadEnd() { ended->set_value(); }
};

TEST(WorkerPool, IdleThreadsEnd) {
  WorkerPool pool({2, 1ms});
  const auto lane = pool.lane(1);
  const auto ended = std::make_shared<std::promise<void>>();
  const auto end = ended->get_future();
  ASSERT_TRUE(lane->submit([ended] { static thread_local const AtThreadEnd last{ended}; }).ok());
  EXPECT_EQ(end.wait_for(support::patience()), std::future_status::ready);
}

}  // namespace
}  // namespace ccm::runtime

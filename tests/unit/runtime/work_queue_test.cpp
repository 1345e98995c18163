#include "runtime/work_queue.hpp"

#include "manual_timers.hpp"

#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <string>

namespace ccm::runtime {
namespace {

using namespace std::chrono_literals;

std::string take_key(WorkQueue& queue) {
  const auto item = queue.take();
  return item ? item->key : "(none)";
}

class WorkQueueTest : public testing::Test {
 protected:
  ManualTimers timers_;
  WorkQueue queue_{timers_, {}};
};

TEST_F(WorkQueueTest, HOST_134_KeysComeInOrderAndOnce) {
  queue_.add("a", Priority::changed);
  queue_.add("b", Priority::changed);
  queue_.add("a", Priority::changed);
  EXPECT_EQ(queue_.ready(), 2u);
  EXPECT_EQ(take_key(queue_), "a");
  EXPECT_EQ(take_key(queue_), "b");
  EXPECT_EQ(take_key(queue_), "(none)");
}

TEST_F(WorkQueueTest, HOST_134_AddedWhileProcessingComesOnceMoreAfterDone) {
  queue_.add("a", Priority::changed);
  EXPECT_EQ(take_key(queue_), "a");
  queue_.add("a", Priority::changed);
  queue_.add("a", Priority::changed);
  EXPECT_EQ(take_key(queue_), "(none)") << "never two workers on one key";
  queue_.done("a");
  EXPECT_EQ(take_key(queue_), "a");
  queue_.done("a");
  EXPECT_EQ(take_key(queue_), "(none)");
  EXPECT_EQ(queue_.processing(), 0u);
}

TEST_F(WorkQueueTest, ADroppedKeyIsNotTaken) {
  queue_.add("running", Priority::changed);
  EXPECT_EQ(take_key(queue_), "running");
  queue_.add("failed", Priority::changed);
  EXPECT_EQ(take_key(queue_), "failed");
  queue_.add_failed("failed", Priority::changed);
  queue_.done("failed");
  for (const char* key : {"a", "b"}) queue_.add(key, Priority::changed);
  queue_.add("audit", Priority::periodic);
  queue_.add("late", Priority::periodic, 5min);
  for (const char* key : {"a", "audit", "late", "failed", "running", "unknown"}) queue_.drop(key);
  EXPECT_EQ(queue_.delayed(), 0u);
  EXPECT_EQ(take_key(queue_), "b");
  EXPECT_EQ(take_key(queue_), "(none)");
  timers_.advance(10min);
  EXPECT_EQ(take_key(queue_), "(none)");
  EXPECT_EQ(queue_.processing(), 2u) << "what runs goes on";
  queue_.add("failed", Priority::changed);
  EXPECT_EQ(queue_.take()->attempt, 0u);
}

TEST_F(WorkQueueTest, WhatFailedCanBeRetriedAtOnce) {
  for (const char* key : {"a", "b"}) {
    queue_.add(key, Priority::changed);
    queue_.take();
    for (int failure = 0; failure < 10; ++failure) queue_.add_failed(key, Priority::changed);
    queue_.done(key);
  }
  queue_.add("audit", Priority::periodic, 5min);
  EXPECT_EQ(take_key(queue_), "(none)");
  EXPECT_EQ(queue_.retry_failed(), 2u);
  EXPECT_EQ(queue_.ready(), 2u);
  EXPECT_EQ(queue_.find("a")->failures, 10u) << "the next failure goes on from here";
  EXPECT_EQ(queue_.find("audit")->due, timers_.now() + 5min) << "it did not fail";
  EXPECT_EQ(queue_.retry_failed(), 0u);
}

TEST_F(WorkQueueTest, ChangedKeysGoBeforePeriodicOnes) {
  queue_.add("old", Priority::periodic);
  queue_.add("new", Priority::changed);
  queue_.add("older", Priority::periodic);
  queue_.add("older", Priority::changed);  // keeps the better priority
  EXPECT_EQ(take_key(queue_), "new");
  EXPECT_EQ(take_key(queue_), "older");
  const auto last = queue_.take();
  ASSERT_TRUE(last);
  EXPECT_EQ(last->key, "old");
  EXPECT_EQ(last->priority, Priority::periodic);
}

TEST_F(WorkQueueTest, SVC_3_WhatComesBackIsNotBehindThousandsOfNewOnes) {
  queue_.add("pending", Priority::changed);
  EXPECT_EQ(take_key(queue_), "pending");
  queue_.add_again("pending", Priority::changed, 2s);
  queue_.done("pending");
  for (int i = 0; i < 3'000; ++i) queue_.add("new-" + std::to_string(i), Priority::changed);
  EXPECT_EQ(take_key(queue_), "new-0");
  timers_.advance(2s);
  EXPECT_EQ(take_key(queue_), "pending");
  EXPECT_EQ(take_key(queue_), "new-1");
  EXPECT_EQ(take_key(queue_), "new-2");
}

TEST_F(WorkQueueTest, SVC_3_ANewOneIsNotBehindThousandsThatComeBack) {
  for (int i = 0; i < 1'000; ++i) {
    const std::string key = "pending-" + std::to_string(i);
    queue_.add(key, Priority::changed);
    ASSERT_EQ(take_key(queue_), key);
    queue_.add_again(key, Priority::changed, 2s);
    queue_.done(key);
    const std::string failing = "failing-" + std::to_string(i);
    queue_.add(failing, Priority::changed);
    ASSERT_EQ(take_key(queue_), failing);
    queue_.add_failed(failing, Priority::changed);
    queue_.done(failing);
  }
  timers_.advance(3s);
  ASSERT_EQ(queue_.ready(), 2'000u);
  EXPECT_EQ(take_key(queue_), "failing-0");
  queue_.add("new", Priority::changed);
  queue_.add("newer", Priority::changed);
  EXPECT_EQ(take_key(queue_), "new");
  EXPECT_EQ(take_key(queue_), "failing-1");
  EXPECT_EQ(take_key(queue_), "newer");
}

TEST_F(WorkQueueTest, PeriodicOnesComeAfterAllThatComesBack) {
  queue_.add("resynced", Priority::periodic);
  ASSERT_EQ(take_key(queue_), "resynced");
  queue_.add_again("resynced", Priority::periodic, 1s);  // and found to be pending
  queue_.done("resynced");
  queue_.add("audited", Priority::periodic);
  ASSERT_EQ(take_key(queue_), "audited");
  EXPECT_EQ(queue_.add_failed("audited", Priority::periodic), 5ms);
  queue_.done("audited");
  for (int i = 0; i < 1'000; ++i) queue_.add("old-" + std::to_string(i), Priority::periodic);
  timers_.advance(1s);
  const auto back = queue_.take();
  ASSERT_TRUE(back);
  EXPECT_EQ(back->key, "resynced");
  EXPECT_EQ(back->priority, Priority::periodic);
  EXPECT_EQ(take_key(queue_), "old-0");
  std::string last;
  while (const auto item = queue_.take()) last = item->key;
  EXPECT_EQ(last, "audited");
}

// 2,000 Services of one tenant, then one of another.
TEST_F(WorkQueueTest, Issue37_7_OneNamespaceDoesNotDelayTheOthers) {
  for (int i = 0; i < 2'000; ++i) queue_.add("bad/" + std::to_string(i), Priority::changed);
  queue_.add("good/shop", Priority::changed);
  queue_.add("node-1", Priority::changed);
  queue_.add("good/blog", Priority::changed);
  EXPECT_EQ(take_key(queue_), "bad/0");
  EXPECT_EQ(take_key(queue_), "good/shop");
  EXPECT_EQ(take_key(queue_), "node-1");
  EXPECT_EQ(take_key(queue_), "bad/1");
  EXPECT_EQ(take_key(queue_), "good/blog");
  EXPECT_EQ(take_key(queue_), "bad/2");
  EXPECT_EQ(take_key(queue_), "bad/3");
  queue_.add("good/late", Priority::changed);
  EXPECT_EQ(take_key(queue_), "bad/4");
  EXPECT_EQ(take_key(queue_), "good/late");
}

TEST_F(WorkQueueTest, Issue37_7_ReturningAndPeriodicKeysOfOneNamespaceDoNotEither) {
  for (int i = 0; i < 3; ++i) queue_.add("bad/" + std::to_string(i), Priority::periodic);
  queue_.add("good/audit", Priority::periodic);
  EXPECT_EQ(take_key(queue_), "bad/0");
  EXPECT_EQ(take_key(queue_), "good/audit");
  for (const char* key : {"bad/0", "good/audit"}) {
    queue_.add_again(key, Priority::changed, 1s);
    queue_.done(key);
  }
  queue_.drop("bad/1");
  timers_.advance(1s);
  queue_.add("bad/2", Priority::changed);  // is news now
  EXPECT_EQ(take_key(queue_), "bad/2");
  EXPECT_EQ(take_key(queue_), "bad/0");
  EXPECT_EQ(take_key(queue_), "good/audit");
  EXPECT_EQ(take_key(queue_), "(none)");
}

TEST_F(WorkQueueTest, Issue37_7_EndlessNewsDoNotPutOffAuditsForEver) {
  queue_.add("audit", Priority::periodic);
  int taken = 0;
  for (std::string key; key != "audit" && taken < 100; ++taken) {
    queue_.add("new-" + std::to_string(taken), Priority::changed);
    key = take_key(queue_);
    queue_.done(key);
  }
  EXPECT_EQ(taken, 16);
}

TEST_F(WorkQueueTest, Issue37_7_TheFirstOfANamespaceIsFoundBehindOthers) {
  queue_.add("bad/1", Priority::changed);
  queue_.add("bad/2", Priority::changed);
  EXPECT_EQ(queue_.take(true)->key, "bad/1");
  EXPECT_FALSE(queue_.take(true));
  queue_.add("good/audit", Priority::periodic);
  queue_.add("node-1", Priority::changed);
  queue_.add("node-2", Priority::changed);
  EXPECT_EQ(queue_.take(true)->key, "node-1");
  EXPECT_EQ(queue_.take(true)->key, "node-2") << "Nodes are nobody's";
  EXPECT_EQ(queue_.take(true)->key, "good/audit");
  EXPECT_FALSE(queue_.take(true));
  queue_.done("bad/1");
  EXPECT_EQ(queue_.take(true)->key, "bad/2");
}

TEST_F(WorkQueueTest, AChangeMakesNewsOfAWaitAndKeepsThePlaceOfWhatIsBack) {
  for (const char* key : {"waits", "back", "later"}) {
    queue_.add(key, Priority::changed);
    ASSERT_EQ(take_key(queue_), key);
    queue_.add_again(key, Priority::changed, key == std::string("waits") ? 1h : 1ms);
    queue_.done(key);
  }
  timers_.advance(1ms);
  queue_.add("new", Priority::changed);
  queue_.add("waits", Priority::changed);
  queue_.add("back", Priority::changed);
  EXPECT_EQ(take_key(queue_), "back");
  EXPECT_EQ(take_key(queue_), "new");
  EXPECT_EQ(take_key(queue_), "later");
  EXPECT_EQ(take_key(queue_), "waits");
}

TEST_F(WorkQueueTest, HOST_134_DelayedKeysKeepTheEarlierTime) {
  queue_.add("a", Priority::changed, 100ms);
  queue_.add("a", Priority::changed, 500ms);
  queue_.add("b", Priority::changed, 500ms);
  queue_.add("b", Priority::changed, 200ms);
  timers_.advance(99ms);
  EXPECT_EQ(queue_.ready(), 0u);
  timers_.advance(1ms);
  EXPECT_EQ(take_key(queue_), "a");
  queue_.done("a");
  timers_.advance(100ms);
  EXPECT_EQ(take_key(queue_), "b");
  queue_.done("b");
  timers_.advance(10s);
  EXPECT_EQ(queue_.ready(), 0u);
  EXPECT_EQ(timers_.waiting(), 0u);
}

TEST_F(WorkQueueTest, AnEventBringsADelayedKeyAtOnceAndOnlyOnce) {
  queue_.add("a", Priority::periodic, 100ms);
  queue_.add("a", Priority::changed);
  const auto item = queue_.take();
  ASSERT_TRUE(item);
  EXPECT_EQ(item->priority, Priority::changed);
  queue_.done("a");
  timers_.advance(1s);
  EXPECT_EQ(queue_.ready(), 0u);
}

TEST_F(WorkQueueTest, HOST_135_BackOffDoublesPerKeyUpToTheLimit) {
  const std::chrono::milliseconds expected[] = {5ms, 10ms, 20ms, 40ms};
  for (const auto delay : expected) EXPECT_EQ(queue_.add_failed("a", Priority::changed), delay);
  for (int count = 0; count < 40; ++count) queue_.add_failed("a", Priority::changed);
  EXPECT_EQ(queue_.add_failed("a", Priority::changed), 1'000'000ms);
  EXPECT_EQ(queue_.add_failed("b", Priority::changed), 5ms);
  queue_.forget("a");
  EXPECT_EQ(queue_.add_failed("a", Priority::changed), 5ms);
}

TEST_F(WorkQueueTest, AttemptTellsHowOftenTheKeyFailed) {
  queue_.add("a", Priority::changed);
  for (uint32_t attempt = 0; attempt < 3; ++attempt) {
    const auto item = queue_.take();
    ASSERT_TRUE(item);
    EXPECT_EQ(item->attempt, attempt);
    queue_.add_failed("a", item->priority);
    queue_.done("a");
    timers_.advance(1s);
  }
}

TEST_F(WorkQueueTest, AFailedKeyWaitsAtLeastAsLongAsItWasTold) {
  EXPECT_EQ(queue_.add_failed("a", Priority::changed, 3s), 3000ms);
  timers_.advance(2999ms);
  EXPECT_EQ(queue_.ready(), 0u);
  timers_.advance(1ms);
  EXPECT_EQ(queue_.ready(), 1u);
}

TEST_F(WorkQueueTest, ADelayThatEndsWhileTheKeyIsInWorkIsNotLost) {
  queue_.add("a", Priority::changed);
  EXPECT_EQ(take_key(queue_), "a");
  queue_.add("a", Priority::periodic, 10ms);
  timers_.advance(10ms);
  EXPECT_EQ(queue_.ready(), 0u);
  queue_.done("a");
  EXPECT_EQ(take_key(queue_), "a");
}

TEST_F(WorkQueueTest, CloseDropsWhatWaitsAndLetsRunningKeysEnd) {
  queue_.add("a", Priority::changed);
  queue_.add("b", Priority::changed);
  queue_.add("c", Priority::changed, 1s);
  EXPECT_EQ(take_key(queue_), "a");
  queue_.close();
  queue_.add("d", Priority::changed);
  EXPECT_EQ(take_key(queue_), "(none)");
  EXPECT_EQ(queue_.processing(), 1u);
  queue_.done("a");
  EXPECT_EQ(queue_.processing(), 0u);
  EXPECT_EQ(timers_.waiting(), 0u);
}

TEST_F(WorkQueueTest, TellsWhenSomethingCanBeTaken) {
  int calls = 0;
  queue_.on_ready([&] { ++calls; });
  queue_.add("a", Priority::changed, 5ms);
  EXPECT_EQ(calls, 0);
  timers_.advance(5ms);
  EXPECT_EQ(calls, 1);
}

TEST(QueueMetricsTest, MET_19_to_25_FollowTheQueue) {
  prometheus::Registry registry;
  QueueMetrics metrics(registry, "Nodes");
  ManualTimers timers;
  WorkQueue queue(timers, {}, &metrics);
  queue.add("a", Priority::changed);
  queue.add("b", Priority::changed);
  queue.add("b", Priority::changed);
  timers.skip(2s);
  ASSERT_TRUE(queue.take());
  timers.skip(3s);
  metrics.refresh(queue);
  queue.add_failed("a", Priority::changed);
  queue.done("a");
  const std::string text = prometheus::TextSerializer().Serialize(registry.Collect());
  for (const char* line :
       {"workqueue_depth{name=\"Nodes\"} 1", "workqueue_adds_total{name=\"Nodes\"} 2",
        "workqueue_queue_duration_seconds_sum{name=\"Nodes\"} 2",
        "workqueue_work_duration_seconds_sum{name=\"Nodes\"} 3",
        "workqueue_unfinished_work_seconds{name=\"Nodes\"} 3",
        "workqueue_longest_running_processor_seconds{name=\"Nodes\"} 3",
        "workqueue_retries_total{name=\"Nodes\"} 1"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
}

}  // namespace
}  // namespace ccm::runtime

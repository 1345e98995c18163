#include "plugin/reconcile_records.hpp"

#include "../runtime/manual_timers.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::plugin {
namespace {

using namespace std::chrono_literals;
using runtime::Priority;

class ReconcileRecordsTest : public testing::Test {
 protected:
  std::shared_ptr<Origin> begin(const std::string& key) {
    queue_.add(key, Priority::changed);
    EXPECT_TRUE(queue_.take());
    auto origin = std::make_shared<Origin>("service-controller", key, CallPriority::load_balancers);
    records_.began(key, origin);
    return origin;
  }
  bool end(const std::string& key, const Status& status, std::chrono::milliseconds next) {
    if (next >= 0ms) queue_.add(key, Priority::changed, next);
    queue_.done(key);
    const runtime::ReconcileRequest request{key, Priority::changed, 0};
    return records_.ended({request, status, 1ms, next});
  }
  static Status pending() {
    return Status(Code::unavailable, ErrorClass::waiting, "load balancer lb-1 has no address yet")
        .with_reason("Pending");
  }

  runtime::ManualTimers timers_;
  runtime::WorkQueue queue_{timers_, {}};
  ReconcileRecords records_{timers_};
};

TEST_F(ReconcileRecordsTest, AWaitingObjectTellsItsStepItsReasonAndTheCloudsLastAnswer) {
  auto origin = begin("default/web");
  origin->began("loadbalancers.ensure");
  origin->answered({"CreateLoadBalancer", 202, "req-7", timers_.now()});
  origin->ended("loadbalancers.ensure", {});
  origin->began("kube.patch");
  origin->ended("kube.patch", {});
  timers_.advance(2s);
  end("default/web", pending(), 5s);
  timers_.advance(1s);
  const auto list = records_.list(queue_, 10);
  ASSERT_EQ(list.size(), 1u);
  const ObjectReport& object = list.front();
  EXPECT_EQ(object.key, "default/web");
  EXPECT_EQ(object.state, ObjectState::waiting);
  EXPECT_EQ(object.step, "loadbalancers.ensure") << "not the note of it on the Service";
  EXPECT_EQ(object.message, "load balancer lb-1 has no address yet");
  EXPECT_EQ(object.reason, "Pending");
  EXPECT_EQ(object.error_class, ErrorClass::waiting);
  EXPECT_EQ(object.since, 1s);
  EXPECT_EQ(object.unsettled, 3s);
  EXPECT_EQ(object.attempts, 1u);
  EXPECT_EQ(object.next_try, 4s);
  ASSERT_TRUE(object.answer);
  EXPECT_EQ(object.answer->operation, "CreateLoadBalancer");
  EXPECT_EQ(object.answer->http_status, 202u);
  EXPECT_EQ(object.answer->request_id, "req-7");
  EXPECT_EQ(object.answer_age, 3s);
}

TEST_F(ReconcileRecordsTest, TheSameReasonKeepsItsBeginningAnotherOneHasItsOwn) {
  begin("a");
  end("a", pending(), 1s);
  timers_.advance(1s);
  begin("a");
  timers_.advance(1s);
  end("a", pending(), 1s);
  EXPECT_EQ(records_.list(queue_, 1).front().since, 2s);
  timers_.advance(1s);
  begin("a");
  const Status refused(Code::permission_denied, ErrorClass::auth, "403");
  end("a", refused, 10s);
  const ObjectReport object = records_.list(queue_, 1).front();
  EXPECT_EQ(object.since, 0s);
  EXPECT_EQ(object.unsettled, 3s);
  EXPECT_EQ(object.state, ObjectState::retrying);
  EXPECT_EQ(object.attempts, 3u);
}

TEST_F(ReconcileRecordsTest, WhatABrakeHoldsIsNotUnderWay) {
  for (const char* reason : {"DeletionHeld", "CloudViewBlind", "DeletionBrakeEngaged"}) {
    begin("a");
    end("a", Status(Code::failed_precondition, ErrorClass::waiting, "why").with_reason(reason), 5s);
    const ObjectReport object = records_.find("a", queue_);
    EXPECT_EQ(object.state, ObjectState::held) << reason;
    EXPECT_EQ(to_string(object.state), "held");
    EXPECT_EQ(object.message, "why");
  }
}

TEST_F(ReconcileRecordsTest, OutcomesAreThoseOfTheLastTriesAlsoWhileTheNextOneRuns) {
  begin("new");
  begin("held");
  end("held", Status(Code::failed_precondition, "why").with_reason("DeletionHeld"), 5s);
  for (const char* key : {"a", "b"}) {
    begin(key);
    end(key, Status(Code::unavailable, "down"), 0s);
  }
  begin("b");
  const Outcomes expected{{{ObjectState::waiting}, {}},
                          {{ObjectState::held}, {1, {}}},
                          {{ObjectState::retrying}, {2, {}}},
                          {{ObjectState::refused}, {}},
                          {{ObjectState::left_alone}, {}}};
  EXPECT_EQ(records_.outcomes(), expected);
}

TEST_F(ReconcileRecordsTest, Issue42_2_OutcomesByClassAndTheAgeOfTheOldest) {
  const Status quota(Code::resource_exhausted, ErrorClass::quota, "no more");
  begin("old");
  end("old", quota, 5s);
  timers_.advance(60s);
  begin("young");
  end("young", quota, 5s);
  begin("wrong");
  end("wrong", Status(Code::invalid_argument, ErrorClass::invalid_spec, "a typo"), 5s);
  const Outcomes outcomes = records_.outcomes();
  EXPECT_EQ(outcomes.at({ObjectState::refused, ErrorClass::quota}), (OutcomeCount{2, 60s}));
  EXPECT_EQ(outcomes.at({ObjectState::refused, ErrorClass::invalid_spec}), (OutcomeCount{1, 0s}));
  EXPECT_EQ(outcomes.at({ObjectState::refused}), OutcomeCount());
}

TEST_F(ReconcileRecordsTest, OnlyWhatIsNewIsWorthALine) {
  begin("a");
  EXPECT_FALSE(end("a", Status(Code::unavailable, "down: request 1").with_reason("Down"), 1s));
  begin("a");
  EXPECT_TRUE(end("a", Status(Code::unavailable, "down: request 2").with_reason("Down"), 1s));
  begin("a");
  EXPECT_FALSE(end("a", Status(Code::unavailable, "down"), 1s)) << "another reason";
  begin("a");
  EXPECT_FALSE(end("a", Status(Code::unavailable, "up side down"), 1s)) << "without a name";
  begin("a");
  EXPECT_TRUE(end("a", Status(Code::unavailable, "up side down"), 1s));
}

TEST_F(ReconcileRecordsTest, ARunningKeyShowsItsStepAndHowItEndedBefore) {
  begin("a")->began("instances.get");
  end("a", Status(Code::unavailable, ErrorClass::unavailable, "down"), 1s);
  timers_.advance(1s);
  auto origin = begin("a");
  origin->began("kube.patch");
  timers_.advance(3s);
  const ObjectReport object = records_.find("a", queue_);
  EXPECT_EQ(object.state, ObjectState::running);
  EXPECT_EQ(object.step, "kube.patch");
  EXPECT_EQ(object.since, 3s);
  EXPECT_EQ(object.message, "down");
  EXPECT_FALSE(object.next_try);
}

TEST_F(ReconcileRecordsTest, ASuccessLeavesOnlyTheTimeOfIt) {
  begin("a");
  end("a", pending(), 1s);
  timers_.advance(1s);
  begin("a");
  end("a", {}, -1ms);
  EXPECT_EQ(records_.size(), 0u);
  timers_.advance(90s);
  const ObjectReport object = records_.find("a", queue_);
  EXPECT_EQ(object.state, ObjectState::settled);
  EXPECT_EQ(object.since, 90s);
  EXPECT_EQ(records_.find("b", queue_).state, ObjectState::unknown);
}

TEST_F(ReconcileRecordsTest, WhatIsRefusedForGoodHasNoNextTry) {
  begin("a");
  end("a", Status(Code::invalid_argument, ErrorClass::invalid_spec, "port 0"), -1ms);
  const ObjectReport object = records_.find("a", queue_);
  EXPECT_EQ(object.state, ObjectState::refused);
  EXPECT_FALSE(object.next_try);
}

TEST_F(ReconcileRecordsTest, AKeyThatNoWorkerHasTakenYetIsQueued) {
  queue_.add("new", Priority::changed);
  timers_.advance(2s);
  const ObjectReport object = records_.find("new", queue_);
  EXPECT_EQ(object.state, ObjectState::queued);
  EXPECT_EQ(object.since, 2s);
}

TEST_F(ReconcileRecordsTest, MemoryStaysBoundedAndTheOldestComeFirst) {
  const std::string long_message(10'000, 'x');
  const Status down(Code::unavailable, ErrorClass::unavailable, long_message);
  for (std::size_t index = 0; index < ReconcileRecords::kMost + 100; ++index) {
    const std::string key = "n" + std::to_string(index);
    begin(key);
    end(key, down, 60s);
    timers_.advance(1ms);
  }
  EXPECT_EQ(records_.size(), ReconcileRecords::kMost);
  const auto list = records_.list(queue_, 3);
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0].key, "n0");
  EXPECT_EQ(list[2].key, "n2");
  EXPECT_LT(list[0].message.size(), 600u);
  const std::string last = "n" + std::to_string(ReconcileRecords::kMost + 99);
  EXPECT_EQ(records_.find(last, queue_).state, ObjectState::retrying) << "the queue knows it";
}

TEST_F(ReconcileRecordsTest, AMessageIsCutBetweenTwoCharacters) {
  std::string text(511, 'x');
  text += "ä and more";
  begin("a");
  end("a", Status(Code::unavailable, ErrorClass::unavailable, text), 1s);
  EXPECT_EQ(records_.find("a", queue_).message, std::string(511, 'x') + "…");
}

TEST(SettledTimes, ThousandsOfKeysAreRememberedToTheSecond) {
  SettledTimes times;
  const runtime::TimePoint begin{1h};
  for (int index = 0; index < 5'000; ++index) {
    times.note("node-" + std::to_string(index), begin + std::chrono::seconds(index));
  }
  int known = 0;
  for (int index = 0; index < 5'000; ++index) {
    const auto found = times.find("node-" + std::to_string(index));
    if (!found) continue;
    ++known;
    EXPECT_EQ(*found, begin + std::chrono::seconds(index));
  }
  EXPECT_GE(known, 4'990);
  times.forget("node-4999");
  EXPECT_FALSE(times.find("node-4999"));
  EXPECT_FALSE(times.find("never"));
}

TEST(SettledTimes, BeyondItsRoomTheOldestGo) {
  SettledTimes times;
  const runtime::TimePoint begin{1h};
  for (int index = 0; index < 100'000; ++index) {
    times.note("key-" + std::to_string(index), begin + std::chrono::seconds(index));
  }
  int recent = 0;
  for (int index = 99'000; index < 100'000; ++index) {
    recent += times.find("key-" + std::to_string(index)) ? 1 : 0;
  }
  EXPECT_GE(recent, 990);
}

TEST(Origin, WhatItAsksOfTheCloudDecidesItsPriority) {
  Origin changed("c", "k", CallPriority::routes);
  changed.began("kube.get");
  EXPECT_EQ(changed.priority(), CallPriority::routes);
  changed.began("instances.describe");
  EXPECT_EQ(changed.priority(), CallPriority::node_init);
  changed.began("loadbalancers.ensure");
  EXPECT_EQ(changed.priority(), CallPriority::load_balancers);
  changed.began("loadbalancers.update_backends");
  EXPECT_EQ(changed.priority(), CallPriority::backends);
  Origin service("c", "shop/web", CallPriority::routes);
  service.began("instances.describe");
  EXPECT_EQ(service.priority(), CallPriority::load_balancers) << "no new Node waits for it";
  Origin periodic("c", "k", CallPriority::refresh);
  periodic.began("loadbalancers.observe");
  EXPECT_EQ(periodic.priority(), CallPriority::refresh);
}

TEST_F(ReconcileRecordsTest, ISSUE_38_8_WhatIsLeftAloneIsToldButNotListed) {
  const Status foreign = Status(Code::implemented_elsewhere, "another provider's");
  begin("node-1");
  end("node-1", foreign, -1ms);
  const ObjectReport object = records_.find("node-1", queue_);
  EXPECT_EQ(object.state, ObjectState::left_alone);
  EXPECT_EQ(to_string(object.state), "left-alone");
  EXPECT_EQ(object.message, "another provider's");
  EXPECT_EQ(records_.outcomes().at({ObjectState::left_alone}).count, 1u);
  EXPECT_TRUE(records_.list(queue_, 10).empty()) << "it waits for nothing";
  EXPECT_EQ(records_.size(), 0u) << "nor is it counted as unsettled";
  begin("node-1");
  end("node-1", {}, -1ms);
  EXPECT_EQ(records_.find("node-1", queue_).state, ObjectState::settled);
  begin("node-1");
  end("node-1", pending(), 5s);
  EXPECT_EQ(records_.size(), 1u);
}

TEST_F(ReconcileRecordsTest, WhatIsLeftAloneLeavesRoomForWhatFails) {
  const Status foreign = Status(Code::implemented_elsewhere, "another provider's");
  for (std::size_t i = 0; i < ReconcileRecords::kMost + 10; ++i) {
    begin("node-" + std::to_string(i));
    end("node-" + std::to_string(i), foreign, -1ms);
  }
  EXPECT_EQ(records_.outcomes().at({ObjectState::left_alone}).count, ReconcileRecords::kMost / 2);
  begin("default/web");
  end("default/web", pending(), 5s);
  EXPECT_EQ(records_.list(queue_, 10).size(), 1u);
}

}  // namespace
}  // namespace ccm::plugin

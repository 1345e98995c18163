// Limits of changes of load balancers: edits of one annotation became 165 writes to
// the cloud and used up the account's hourly calls.
#include "cloud/broker/change_limits.hpp"

#include "../runtime/manual_timers.hpp"
#include "cloud/broker/abi_structs.hpp"
#include "plugin/brake_reasons.hpp"
#include "plugin/host_services/kube_service.hpp"

#include <gtest/gtest.h>

#include <string>

namespace ccm::cloud {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr const char* kIdName = "cloud-controller-manager/load-balancer-id";

class ChangeLimitsTest : public testing::Test {
 protected:
  static LoadBalancerService service(const std::string& uid, const std::string& annotations = "{}",
                                     const std::string& namespace_name = "shop") {
    LoadBalancerService made;
    made.uid = uid;
    made.name = "web";
    made.namespace_name = namespace_name;
    const std::string json = R"({"metadata":{"name":"web","annotations":)" + annotations +
                             R"(},"spec":{"type":"LoadBalancer"}})";
    const auto decoded = kube::Object::decode(json);
    EXPECT_TRUE(decoded.ok());
    made.object = Object(kept_objects(), plugin::object_handle(*decoded));
    return made;
  }
  static std::string annotation(int value) { return R"({"a":")" + std::to_string(value) + "\"}"; }
  Status change(const std::string& uid, int value, const std::string& namespace_name = "shop") {
    return limits_.admit(service(uid, annotation(value), namespace_name));
  }
  // `calls` of the cloud, which `changed` something.
  void succeed(const std::string& uid, LoadBalancerState state = LoadBalancerState::active,
               std::size_t calls = 1, const char* changed = "listener") {
    LoadBalancer balancer;
    balancer.id = "lb-" + uid;
    balancer.state = state;
    balancer.difference = changed;
    limits_.ended(uid, balancer, calls);
  }
  // How many of `count` Services of a namespace get their first load balancer at once.
  int admitted(int count, const std::string& namespace_name) {
    int sum = 0;
    for (int i = 0; i < count; ++i) {
      sum += change(namespace_name + std::to_string(i), 0, namespace_name).ok() ? 1 : 0;
    }
    return sum;
  }

  runtime::ManualTimers timers_;
  bool scarce_ = true;
  ChangeLimits limits_{timers_, {}, [this] { return scarce_; }};
};

TEST_F(ChangeLimitsTest, Issue37_7_TenEditsInARowThenOneInThirtySeconds) {
  for (int edit = 0; edit < 10; ++edit) {
    ASSERT_TRUE(change("u", edit).ok()) << edit;
    succeed("u");
  }
  const Status held = change("u", 10);
  EXPECT_EQ(held.error_class(), ErrorClass::waiting);
  EXPECT_EQ(held.reason(), plugin::kChangesLimited);
  EXPECT_EQ(held.retry_after(), 30s);
  EXPECT_EQ(
      held.message(),
      "this Service may make 10 changes at once and then one in 30s, so that the cloud's calls "
      "last for all; this change waits for its turn");
  EXPECT_EQ(limits_.report().waiting_for_service, 1u);
  timers_.advance(10s);
  EXPECT_EQ(change("u", 11).retry_after(), 20s)
      << "further edits neither lose the turn nor win one";
  EXPECT_EQ(limits_.held(), 1u);
  timers_.advance(20s);
  EXPECT_TRUE(change("u", 12).ok());
  EXPECT_EQ(limits_.report().waiting_for_service, 0u);
  EXPECT_EQ(change("u", 13).retry_after(), 30s);
  EXPECT_TRUE(change("other", 0).ok());
}

// 50 ports with a listener each, of which every change takes 150 calls.
TEST_F(ChangeLimitsTest, Issue37_AChangeWeighsWhatItCosts) {
  scarce_ = false;
  std::size_t calls = 0;
  for (int second = 0; second < 3'600; ++second, timers_.advance(1s)) {
    if (!change("u", second).ok()) continue;
    succeed("u", LoadBalancerState::active, 150);
    calls += 150;
  }
  EXPECT_GE(calls, 6'000U);
  EXPECT_LE(calls, 130U * 50U + 150U);
}

TEST_F(ChangeLimitsTest, Issue37_WhatTheLastChangeCostIsSaid) {
  scarce_ = false;
  EXPECT_TRUE(change("u", 1).ok());
  succeed("u", LoadBalancerState::active, 1'000);
  const Status held = change("u", 2);
  EXPECT_EQ(held.retry_after(), 330s);
  EXPECT_EQ(
      held.message(),
      "this Service may make 10 changes at once and then one in 30s (its last one took 1000 "
      "calls and counts as 20), so that the cloud's calls last for all; this change waits for "
      "its turn");
}

TEST_F(ChangeLimitsTest, Issue37_AUsualChangeCountsOnce) {
  scarce_ = false;
  for (int edit = 0; edit < 10; ++edit) {
    EXPECT_TRUE(change("u", edit).ok()) << edit;
    succeed("u", LoadBalancerState::active, 50);
  }
  EXPECT_EQ(change("u", 10).retry_after(), 30s);
}

// The cloud takes its time, and the manager looks again and again.
TEST_F(ChangeLimitsTest, Issue37_QuestionsAboutAChangeWeighNothing) {
  scarce_ = false;
  EXPECT_TRUE(change("u", 0).ok());
  succeed("u", LoadBalancerState::pending, 30);
  for (int i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(change("u", 0).ok());
    succeed("u", LoadBalancerState::pending, 10, "");
  }
  for (int edit = 1; edit < 10; ++edit) EXPECT_TRUE(change("u", edit).ok()) << edit;
}

// Somebody else changed it in the cloud.
TEST_F(ChangeLimitsTest, Issue37_ARepairWeighsNothing) {
  scarce_ = false;
  EXPECT_TRUE(change("u", 0).ok());
  succeed("u");
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(change("u", 0).ok());
    succeed("u", LoadBalancerState::active, 500);
  }
  for (int edit = 1; edit < 10; ++edit) EXPECT_TRUE(change("u", edit).ok()) << edit;
}

// A change of hours would keep its Service from all others for as long.
TEST_F(ChangeLimitsTest, Issue37_NoChangeBarsTheNextForLongerThanAnHour) {
  scarce_ = false;
  EXPECT_TRUE(change("u", 0).ok());
  succeed("u", LoadBalancerState::active, 10'000'000);
  EXPECT_LE(change("u", 1).retry_after(), 1h + 30s);
}

// Many Services of one namespace, none of which changes often.
TEST_F(ChangeLimitsTest, Issue37_WhatServicesCostIsTheirNamespacesToo) {
  for (int i = 0; i < 10; ++i) {
    const std::string uid = "u-" + std::to_string(i);
    ASSERT_TRUE(change(uid, 0).ok()) << i;
    succeed(uid, LoadBalancerState::active, 500);
  }
  EXPECT_GT(change("u-10", 0).retry_after(), 0s);
  EXPECT_TRUE(change("other", 0, "other").ok());
}

TEST_F(ChangeLimitsTest, Issue37_ARemovalThatWaitsIsReported) {
  const auto gone = service("u");
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(limits_.admit_removal(gone, true).ok()) << i;
    limits_.ended_removal("u", Status(Code::internal, "failed"));
  }
  EXPECT_EQ(limits_.report().waiting_for_service, 0u);
  EXPECT_EQ(limits_.admit_removal(gone, true).reason(), plugin::kChangesLimited);
  EXPECT_EQ(limits_.report().waiting_for_service, 1u);
  EXPECT_EQ(limits_.held(), 1u);
}

// A clock that goes on between two looks at it, as real ones do.
struct RunningClock final : runtime::Timers {
  [[nodiscard]] runtime::TimePoint now() const override {
    time += std::chrono::microseconds(1);
    return time;
  }
  Id after(milliseconds, std::function<void()>) override { return 0; }
  bool cancel(Id) override { return false; }
  mutable runtime::TimePoint time{std::chrono::hours(1)};
};

TEST_F(ChangeLimitsTest, Issue37_7_TheFirstChangeWaitsForNothing) {
  const RunningClock clock;
  ChangeLimits limits(clock, ChangeLimitOptions());
  const Status first = limits.admit(service("u-1", annotation(1)));
  EXPECT_TRUE(first.ok()) << first.message();
}

TEST_F(ChangeLimitsTest, BurstsAndPeriodsWithoutMeasureAreNoLimitAtAll) {
  ChangeLimitOptions options;
  options.service = {2'000'000'000, 24h};
  options.of_namespace = {1, std::chrono::milliseconds::max()};
  ChangeLimits limits(timers_, options, [] { return true; });
  for (int edit = 0; edit < 1'000; ++edit) {
    const Status status = limits.admit(service("u", annotation(edit), std::to_string(edit)));
    ASSERT_TRUE(status.ok()) << edit << ": " << status.message();
  }
  (void)limits.admit(service("a", annotation(1), "1"));
  EXPECT_EQ(limits.admit(service("b", annotation(1), "1")).error_class(), ErrorClass::waiting);
}

TEST_F(ChangeLimitsTest, Issue37_7_ManyHoursOfEditsAreTwoChangesAMinute) {
  int sent = 0;
  for (int second = 0; second < 3600; ++second) {
    if (change("u", second).ok()) {
      ++sent;
      succeed("u");
    }
    timers_.advance(1s);
  }
  EXPECT_GE(sent, 120);
  EXPECT_LE(sent, 130);
}

TEST_F(ChangeLimitsTest, Issue37_7_ARollOutOfFiftyServicesIsNotSlowed) {
  EXPECT_EQ(admitted(50, "shop"), 50);
  EXPECT_EQ(admitted(50, "blog"), 50);
}

TEST_F(ChangeLimitsTest, Issue37_7_TwoThousandServicesOfOneNamespaceTakeTurnsAndOthersPass) {
  EXPECT_EQ(admitted(2'000, "bad"), 100);
  EXPECT_EQ(admitted(100, "good"), 100);
  EXPECT_EQ(limits_.report().waiting_for_namespace, 1'900u);
  const Status first = change("bad100", 0, "bad");
  EXPECT_EQ(first.retry_after(), 5s);
  EXPECT_EQ(
      first.message(),
      "the Services of namespace bad may make 100 changes at once and then one in 5s while few "
      "of the cloud's calls are left; this change waits for its turn");
  EXPECT_EQ(change("bad101", 0, "bad").retry_after(), 10s) << "each has a turn of its own";
  timers_.advance(5s);
  EXPECT_FALSE(change("bad101", 0, "bad").ok());
  EXPECT_TRUE(change("bad100", 0, "bad").ok());
}

TEST_F(ChangeLimitsTest, Issue37_7_WhileThereArePlentyOfCallsANamespaceMayHaveThem) {
  scarce_ = false;
  EXPECT_EQ(admitted(2'000, "bad"), 2'000);
  scarce_ = true;
  EXPECT_EQ(admitted(100, "good"), 100);
  EXPECT_EQ(change("late", 0, "bad").retry_after(), 5s) << "it has spent its own, and no more";
  EXPECT_EQ(change("later", 0, "bad").retry_after(), 10s);
  scarce_ = false;
  EXPECT_TRUE(change("later", 0, "bad").ok());
  scarce_ = true;
  EXPECT_EQ(change("last", 0, "bad").retry_after(), 10s) << "the place that was given back";
}

TEST_F(ChangeLimitsTest, Issue37_7_WhatIsDeletedWhileItWaitsGivesItsTurnBack) {
  admitted(200, "bad");
  EXPECT_EQ(change("late", 0, "bad").retry_after(), 5min) << "there may be more calls then";
  for (int i = 100; i < 200; ++i) limits_.removed("bad" + std::to_string(i));
  EXPECT_EQ(change("later", 0, "bad").retry_after(), 10s);
}

TEST_F(ChangeLimitsTest, Issue37_7_QuestionsAboutAChangeOnItsWayAreFree) {
  ASSERT_TRUE(change("u", 0).ok());
  for (int poll = 0; poll < 1'000; ++poll) {
    succeed("u", LoadBalancerState::pending, 1, "");
    ASSERT_TRUE(change("u", 0).ok());
  }
  limits_.ended("u", Status(Code::unavailable, ErrorClass::waiting, "it is being changed"), 1);
  EXPECT_TRUE(change("u", 0).ok());
  limits_.ended("u", Status(Code::resource_exhausted, ErrorClass::throttled, "429"), 1);
  EXPECT_TRUE(change("u", 0).ok());
  succeed("u");
  EXPECT_TRUE(change("u", 0).ok()) << "somebody altered it in the cloud";
  for (int edit = 1; edit < 10; ++edit) EXPECT_TRUE(change("u", edit).ok()) << edit;
  EXPECT_FALSE(change("u", 10).ok());
}

TEST_F(ChangeLimitsTest, Issue37_7_TheRecordedIdIsNoChangeAndAnotherOneIs) {
  ASSERT_TRUE(limits_.admit(service("u")).ok());
  for (int again = 0; again < 20; ++again) {
    succeed("u", LoadBalancerState::pending);
    auto recorded = service("u", std::string("{\"") + kIdName + R"(":"lb-u"})");
    recorded.id = "lb-u";
    ASSERT_TRUE(limits_.admit(recorded).ok());
  }
  int passed = 0;
  for (int other = 0; other < 20; ++other) {
    auto wrong = service("u");
    wrong.id = "x-" + std::to_string(other);
    passed += limits_.admit(wrong).ok() ? 1 : 0;
  }
  EXPECT_EQ(passed, 9);
}

// Its edits also end the back-off of a creation that fails.
TEST_F(ChangeLimitsTest, Issue37_7_AnotherIdOfARequestThatFailedIsAChange) {
  int passed = 0;
  for (int edit = 0; edit < 50; ++edit) {
    auto wanted = service("u");
    wanted.id = "q-" + std::to_string(edit);
    if (!limits_.admit(wanted).ok()) continue;
    ++passed;
    limits_.ended("u", Status(Code::invalid_argument, "refused"), 1);
  }
  EXPECT_EQ(passed, 10);
}

// Each of the two is a request to the cloud, and the annotation is not in what is compared.
TEST_F(ChangeLimitsTest, Issue37_AnIdThatComesAndGoesIsAChangeEachTime) {
  for (const bool plenty : {false, true}) {
    scarce_ = !plenty;
    const std::string uid = plenty ? "u" : "v";
    int passed = 0;
    for (int edit = 0; edit < 50; ++edit) {
      auto wanted = service(uid);
      wanted.id = edit % 2 == 0 ? "somebody-elses" : "";
      if (!limits_.admit(wanted).ok()) continue;
      if (edit % 2 == 0) ++passed;
      succeed(uid, edit % 2 == 0 ? LoadBalancerState::foreign : LoadBalancerState::active);
    }
    EXPECT_EQ(passed, 10) << plenty;
  }
}

// A tenant's finalizer on a Service of another type has the cloud asked for what never was.
TEST_F(ChangeLimitsTest, Issue37_7_RemovalsInALoopWaitForTheirTurn) {
  int passed = 0;
  Status last;
  for (int edit = 0; edit < 50; ++edit) {
    last = limits_.admit_removal(service("u"), true);
    if (!last.ok()) continue;
    ++passed;
    limits_.ended_removal("u", {});
    limits_.removed("u");
  }
  EXPECT_EQ(passed, 10);
  EXPECT_EQ(last.reason(), "ChangesLimited");
  EXPECT_EQ(last.error_class(), ErrorClass::waiting);
  timers_.advance(30s);
  EXPECT_TRUE(limits_.admit_removal(service("u"), true).ok());
}

// A new Service each time, with the finalizer from the start, had a bucket of its own each time.
TEST_F(ChangeLimitsTest, Issue37_RemovalsOfEverNewServicesCountForTheNamespace) {
  for (const bool plenty : {false, true}) {
    for (const bool there : {false, true}) {
      scarce_ = !plenty;
      const std::string space = std::string(plenty ? "plenty" : "scarce") + (there ? "t" : "f");
      int passed = 0;
      for (int i = 0; i < 500; ++i) {
        const std::string uid = space + std::to_string(i);
        if (!limits_.admit_removal(service(uid, "{}", space), there).ok()) continue;
        ++passed;
        limits_.ended_removal(uid, {});
        limits_.removed(uid);
      }
      EXPECT_EQ(passed, plenty || there ? 500 : 100) << space;
    }
  }
  scarce_ = true;
  const Status held = limits_.admit_removal(service("late", "{}", "scarcef"), false);
  EXPECT_EQ(held.message(),
            "deletions of namespace scarcef count as changes, 100 changes at once and then one in "
            "5s while few of the cloud's calls are left; this deletion waits for its turn");
  scarce_ = false;
  EXPECT_TRUE(limits_.admit_removal(service("late", "{}", "scarcef"), false).ok());
}

TEST_F(ChangeLimitsTest, Issue37_7_RemovalsThatFailDoToo) {
  int passed = 0;
  for (int edit = 0; edit < 50; ++edit) {
    if (!limits_.admit_removal(service("u"), true).ok()) continue;
    ++passed;
    limits_.ended_removal("u", Status(Code::internal, "the cloud fails"));
  }
  EXPECT_EQ(passed, 10);
}

TEST_F(ChangeLimitsTest, Issue37_7_TheRemovalAfterChangesWaitsForNothing) {
  for (int edit = 0; edit < 20; ++edit) {
    if (change("u", edit).ok()) succeed("u");
  }
  const Status working(Code::unavailable, ErrorClass::waiting, "the cloud deletes it");
  for (int question = 0; question < 50; ++question) {
    EXPECT_TRUE(limits_.admit_removal(service("u"), true).ok()) << question;
    limits_.ended_removal("u", working);
  }
}

TEST_F(ChangeLimitsTest, Issue37_7_OfServicesThatAlwaysFailTheNamespacePays) {
  int sent = 0;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 50; ++i) {
      const std::string uid = "bad" + std::to_string(i);
      if (!change(uid, 0, "bad").ok()) continue;
      ++sent;
      limits_.ended(uid, Status(Code::unavailable, ErrorClass::unavailable, "500"), 1);
    }
  }
  EXPECT_EQ(sent, 100);
  EXPECT_GT(limits_.report().waiting_for_namespace, 0u);
  EXPECT_TRUE(change("one", 0, "good").ok());
  for (int again = 0; again < 50; ++again) {
    limits_.ended("one", Status(Code::unavailable, ErrorClass::unavailable, "500"), 1);
    EXPECT_TRUE(change("one", 0, "good").ok()) << "the queue's back-off is enough for one";
  }
}

TEST_F(ChangeLimitsTest, Issue37_7_SomebodyElsesLoadBalancerIsAFailure) {
  for (int again = 0; again < 100; ++again) {
    ASSERT_TRUE(change("u", 0).ok()) << again;
    succeed("u", LoadBalancerState::foreign);
  }
  EXPECT_FALSE(change("u", 0).ok());
}

TEST_F(ChangeLimitsTest, Issue37_7_TogglingTheTypeCountsAsChanges) {
  int made = 0;
  for (int toggle = 0; toggle < 50; ++toggle) {
    made += change("u", 0).ok() ? 1 : 0;
    succeed("u");
    limits_.removed("u");
  }
  EXPECT_EQ(made, 10);
}

TEST_F(ChangeLimitsTest, Issue37_7_CreatingAndDeletingServicesCountsForTheNamespace) {
  int made = 0;
  for (int i = 0; i < 500; ++i) {
    const std::string uid = "u-" + std::to_string(i);
    made += change(uid, 0).ok() ? 1 : 0;
    succeed(uid);
    limits_.removed(uid);
  }
  EXPECT_EQ(made, 100);
}

TEST_F(ChangeLimitsTest, Issue37_7_BucketsGoWhenTheyAreFull) {
  for (int round = 0; round < 100; ++round) {
    const std::string of_round = "ns" + std::to_string(round);
    for (int i = 0; i < 50; ++i) {
      const std::string uid = of_round + std::to_string(i);
      ASSERT_TRUE(change(uid, 0, of_round).ok());
      succeed(uid);
    }
    timers_.advance(10min);
  }
  EXPECT_LE(limits_.size(), 200u) << "of 5,000 Services and 100 namespaces";
}

TEST_F(ChangeLimitsTest, Issue37_7_WhoNeverComesBackIsForgotten) {
  admitted(5'000, "bad");
  timers_.advance(10h);
  for (int i = 0; i < 20'000; ++i) (void)change("u", 0, "good" + std::to_string(i));
  timers_.advance(10h);
  (void)admitted(200, "late");
  EXPECT_LE(limits_.size(), 500u);
}

TEST_F(ChangeLimitsTest, Issue37_7_ABurstOfZeroIsNoLimit) {
  ChangeLimitOptions options;
  options.service.burst = 0;
  options.of_namespace.burst = 0;
  ChangeLimits none(timers_, options);
  for (int edit = 0; edit < 1'000; ++edit) {
    ASSERT_TRUE(none.admit(service("u", annotation(edit))).ok());
  }
}

}  // namespace
}  // namespace ccm::cloud

#include "cloud/deletion/brake.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace ccm::cloud {

using runtime::TimePoint;
namespace {

using namespace std::chrono_literals;

std::vector<std::string> keys(int count, const char* prefix = "n") {
  std::vector<std::string> all;
  for (int i = 0; i < count; ++i) all.push_back(prefix + std::to_string(i));
  return all;
}

class BrakeTest : public testing::Test {
 protected:
  // A brake that has watched a whole window.
  BrakeTest() { settle(); }
  void settle() {
    brake_.begin(now_);
    now_ += 11min;
  }
  void observe(std::size_t known, std::vector<std::string> absent, bool sighted = true) {
    brake_.observe({known, std::move(absent), sighted, {}, 0}, now_);
  }
  BrakeVerdict judge(const std::string& key) const { return brake_.judge(key, now_).verdict; }
  // Deletes what passes; how many did.
  int remove(const std::vector<std::string>& all) {
    int removed = 0;
    for (const std::string& key : all) {
      if (judge(key) != BrakeVerdict::pass) continue;
      brake_.deleting(key, true, now_);
      ++removed;
    }
    return removed;
  }

  TimePoint now_{1h};
  Brake brake_{BrakeOptions{}};
};

TEST_F(BrakeTest, AFewAbsencesPass) {
  observe(100, keys(25));
  EXPECT_EQ(remove(keys(25)), 25);
  EXPECT_FALSE(brake_.report(now_).engaged);
}

TEST_F(BrakeTest, TooManyAtOnceStopTheFirstOne) {
  observe(100, keys(60));
  EXPECT_EQ(remove(keys(60)), 0);
  const BrakeReport report = brake_.report(now_);
  EXPECT_TRUE(report.engaged);
  EXPECT_EQ(report.held, 60u);
  EXPECT_EQ(report.limit, 25u);
  EXPECT_EQ(report.engaged_since, now_);
}

TEST_F(BrakeTest, WhatWasDeletedInTheWindowCounts) {
  observe(100, keys(20));
  EXPECT_EQ(remove(keys(20)), 20);
  now_ += 1min;
  observe(80, keys(6, "m"));
  EXPECT_EQ(remove(keys(6, "m")), 0) << "26 of 100";
  now_ += 10min;
  observe(80, keys(6, "k"));
  EXPECT_EQ(remove(keys(6, "k")), 6) << "the window has passed";
}

// An object that is made again under its name has another key.
TEST_F(BrakeTest, ISSUE_37_8_ANameCountsOnceInAWindow) {
  for (int round = 0; round < 4; ++round) {
    const std::string key = "x" + std::to_string(round);
    BrakeObservation observation{10, {key}, true, {}, 0, {{key, "x"}}};
    brake_.observe(observation, now_);
    EXPECT_EQ(remove({key}), 1) << round;
    now_ += 4min;
  }
  EXPECT_EQ(brake_.report(now_).deleted, 1u) << "for a window after the last one";
  observe(10, keys(1));
  EXPECT_EQ(remove(keys(1)), 1);
  observe(9, keys(1, "m"));
  EXPECT_EQ(remove(keys(1, "m")), 0) << "the third name";
}

TEST_F(BrakeTest, SmallClustersHaveAMinimum) {
  observe(3, keys(2));
  EXPECT_EQ(remove(keys(2)), 2);
  now_ += 11min;
  observe(5, keys(3, "m"));
  EXPECT_EQ(remove(keys(3, "m")), 0);
}

TEST_F(BrakeTest, WhatWasAnnouncedDoesNotCount) {
  brake_.observe({6, keys(5), true, {"n0", "n1", "n2"}, 0}, now_);
  EXPECT_FALSE(brake_.judge("n0", now_).counts);
  EXPECT_TRUE(brake_.judge("n3", now_).counts);
  EXPECT_EQ(brake_.report(now_).announced, 3u);
  for (const std::string& key : keys(5)) {
    const BrakeJudgement judgement = brake_.judge(key, now_);
    EXPECT_EQ(judgement.verdict, BrakeVerdict::pass) << key;
    brake_.deleting(key, judgement.counts, now_);
  }
  EXPECT_EQ(brake_.report(now_).deleted, 2u);
}

// The answer that lacks too many others is not believed about it either.
TEST_F(BrakeTest, WhatWasAnnouncedWaitsWhileOthersAreHeld) {
  brake_.observe({10, keys(6), true, {"n0", "n1"}, 0}, now_);
  EXPECT_EQ(remove(keys(6)), 0);
  EXPECT_EQ(brake_.report(now_).held, 4u);
  brake_.observe({10, keys(3), true, {"n0", "n1"}, 0}, now_);
  EXPECT_EQ(remove(keys(3)), 0) << "n2 is not back yet";
  brake_.observe({10, keys(2), true, {"n0", "n1"}, 0}, now_);
  EXPECT_EQ(remove(keys(2)), 2);
}

// As many as the limit are no suspects, but one of them is alive.
TEST_F(BrakeTest, WhatWasAnnouncedCountsInAnAnswerThatIsWrongAboutOthers) {
  brake_.observe({6, keys(3), true, {"n0", "n1"}, 1}, now_);
  EXPECT_EQ(judge("n0"), BrakeVerdict::over_limit);
  EXPECT_EQ(judge("n1"), BrakeVerdict::over_limit);
  EXPECT_TRUE(brake_.report(now_).contradicted);
  brake_.observe({6, keys(3), true, {"n0", "n1"}, 0}, now_);
  EXPECT_EQ(remove(keys(3)), 3) << "that one is dead, too, after all";
  brake_.observe({20, {"m0", "m1", "m2"}, true, {"m0", "m1"}, 1}, now_ + 11min);
  EXPECT_EQ(brake_.judge("m0", now_ + 11min).verdict, BrakeVerdict::pass) << "few enough";
}

TEST_F(BrakeTest, AnAnnouncementAfterTheFirstMissIsNone) {
  observe(6, keys(3));
  brake_.observe({6, keys(3), true, {"n0", "n1", "n2"}, 0}, now_);
  EXPECT_EQ(remove(keys(3)), 0);
}

TEST_F(BrakeTest, TheReportNamesTheLimitInForce) {
  EXPECT_FALSE(brake_.report(now_).observed);
  settle();
  now_ -= 11min;
  observe(40, keys(3));
  EXPECT_TRUE(brake_.report(now_).observed);
  EXPECT_TRUE(brake_.report(now_).first_window);
  EXPECT_EQ(brake_.report(now_).limit, 2u);
  now_ += 10min;
  EXPECT_FALSE(brake_.report(now_).first_window);
  EXPECT_EQ(brake_.report(now_).limit, 10u);
}

TEST_F(BrakeTest, ABlindLookIsNoEvidence) {
  observe(10, keys(1), false);
  EXPECT_EQ(judge("n0"), BrakeVerdict::blind);
  EXPECT_TRUE(brake_.report(now_).blind);
  observe(10, keys(1));
  EXPECT_EQ(judge("n0"), BrakeVerdict::pass);
  observe(10, keys(1), false);
  EXPECT_EQ(judge("n0"), BrakeVerdict::blind) << "what was sighted before does not last";
}

TEST_F(BrakeTest, WhatNoLookLacksIsNotDeleted) {
  EXPECT_EQ(judge("n0"), BrakeVerdict::blind);
  observe(10, keys(1));
  EXPECT_EQ(judge("n1"), BrakeVerdict::blind);
}

TEST_F(BrakeTest, ACloudThatRecoversPieceByPieceDeletesNothing) {
  observe(10, keys(6));
  EXPECT_EQ(remove(keys(6)), 0);
  now_ += 1min;
  observe(10, keys(2));  // four are back, two not yet
  EXPECT_EQ(remove(keys(2)), 0);
  EXPECT_TRUE(brake_.report(now_).engaged);
  observe(10, {});
  EXPECT_FALSE(brake_.report(now_).engaged);
  observe(10, keys(1));
  EXPECT_EQ(remove(keys(1)), 1) << "gone once more, alone this time";
}

TEST_F(BrakeTest, AfterTheHoldTheyGoAtTheLimitsPace) {
  observe(20, keys(12));
  EXPECT_EQ(brake_.judge("n3", now_).retry_after, 30min);
  now_ += 29min;
  observe(20, keys(12));
  EXPECT_EQ(remove(keys(12)), 0);
  now_ += 1min;
  EXPECT_EQ(remove(keys(12)), 5);
  const std::vector<std::string> rest{"n5", "n6", "n7", "n8", "n9", "n10", "n11"};
  observe(15, rest);
  EXPECT_EQ(remove(rest), 0);
  now_ += 11min;
  observe(15, rest);
  EXPECT_EQ(remove(rest), 3);
}

TEST_F(BrakeTest, OneThatComesBackStartsItsHoldAnew) {
  observe(10, keys(6));
  now_ += 20min;
  observe(10, {"n1", "n2", "n3", "n4", "n5"});
  observe(10, keys(6));
  now_ += 15min;
  observe(10, keys(6));
  EXPECT_EQ(judge("n0"), BrakeVerdict::over_limit);
  EXPECT_EQ(judge("n1"), BrakeVerdict::pass);
}

TEST_F(BrakeTest, WhatDoesNotCountLeavesTheLimitAlone) {
  for (const std::string& key : keys(80)) brake_.deleting(key, false, now_);
  observe(20, keys(2, "m"));
  EXPECT_EQ(remove(keys(2, "m")), 2);
  EXPECT_EQ(brake_.report(now_).deleted, 2u);
}

TEST_F(BrakeTest, ADeletionThatDidNotHappenIsGivenBack) {
  observe(8, keys(2));
  brake_.deleting("n0", true, now_);
  brake_.not_deleted("n0");
  EXPECT_EQ(brake_.report(now_).deleted, 0u);
  observe(8, keys(2));
  EXPECT_EQ(remove(keys(2)), 2);
}

TEST_F(BrakeTest, ACacheThatLagsDoesNotCountTwice) {
  observe(8, keys(2));
  EXPECT_EQ(remove(keys(2)), 2);
  observe(8, keys(2));  // still shown
  EXPECT_EQ(brake_.report(now_).absent, 0u);
  EXPECT_FALSE(brake_.report(now_).engaged);
}

// A restart must not hand out a second limit: what the process before it deleted is unknown.
TEST_F(BrakeTest, AProcessThatJustStartedLetsOnlyTheMinimumGo) {
  settle();
  now_ -= 11min;
  observe(100, keys(3));
  EXPECT_EQ(remove(keys(3)), 0);
  EXPECT_EQ(judge("n0"), BrakeVerdict::too_early);
  EXPECT_FALSE(brake_.report(now_).engaged) << "three of 100 are no catastrophe";
  observe(100, keys(2));
  EXPECT_EQ(remove(keys(2)), 2);
  observe(98, {"m0"});
  EXPECT_EQ(remove({"m0"}), 0);
  now_ += 10min;
  observe(98, {"m0"});
  EXPECT_EQ(remove({"m0"}), 1);
}

TEST_F(BrakeTest, ARestartWhileEngagedEngagesAgain) {
  observe(10, keys(6));
  now_ += 29min;
  brake_ = Brake(BrakeOptions{});
  EXPECT_EQ(judge("n0"), BrakeVerdict::blind) << "before this process leads";
  brake_.begin(now_);
  observe(10, keys(6));
  EXPECT_EQ(remove(keys(6)), 0);
  now_ += 10min;
  observe(10, keys(6));
  EXPECT_EQ(remove(keys(6)), 0) << "the hold starts again";
}

TEST_F(BrakeTest, TheLimitsCanBeSwitchedOffAndToZero) {
  BrakeOptions open;
  open.percent = 100;
  brake_ = Brake(open);
  settle();
  observe(10, keys(9));
  EXPECT_EQ(remove(keys(9)), 9);
  BrakeOptions shut;
  shut.percent = 0;
  shut.minimum = 0;
  brake_ = Brake(shut);
  settle();
  observe(10, keys(1));
  EXPECT_EQ(remove(keys(1)), 0);
  now_ += 40min;
  observe(10, keys(1));
  EXPECT_EQ(remove(keys(1)), 0) << "not by time either";
}

}  // namespace
}  // namespace ccm::cloud

// When the cloud is listed, and what a listing proves that failed, shifted or shrank.
#include "broker_fixture.hpp"

namespace ccm::cloud {
namespace {

TEST_F(BrokerTest, AListingIsAsImportantAsTheMostImportantOfThoseWhoWaitForIt) {
  make();
  const auto refresh =
      std::make_shared<plugin::Origin>("nodes", "old", plugin::CallPriority::refresh);
  const auto fresh =
      std::make_shared<plugin::Origin>("nodes", "new", plugin::CallPriority::node_init);
  int answered = 0;
  const auto count = [&](const InstanceAnswer& answer) { answered += answer.status.ok() ? 1 : 0; };
  InstanceQuery old{"old", "", nullptr};
  old.origin = refresh;
  tasks_(broker_->find(old), count);
  EXPECT_EQ(source_.origin->priority(), plugin::CallPriority::refresh);
  InstanceQuery added{"new", "", nullptr};
  added.origin = fresh;
  tasks_(broker_->find(added), count);
  EXPECT_EQ(source_.origin->priority(), plugin::CallPriority::node_init)
      << "the call that waits may go";
  source_.origin->answered({"ListMachines", 200, "req-1", timers_.now()});
  source_.end_list({{"old", "cloud://1"}, {"new", "cloud://2"}});
  EXPECT_EQ(answered, 2);
  ASSERT_TRUE(fresh->answer());
  EXPECT_EQ(fresh->answer()->request_id, "req-1");
}

TEST_F(BrokerTest, AListingThatTheBudgetHeldBackBeginsAnewForANewNode) {
  source_.getting = false;
  make();
  const Status spent = Status(Code::resource_exhausted, ErrorClass::throttled, "kept")
                           .with_reason(std::string(plugin::kCallBudgetSpent));
  InstanceQuery old{"old", "", nullptr};
  old.origin = std::make_shared<plugin::Origin>("nodes", "old", plugin::CallPriority::refresh);
  InstanceQuery added{"new", "", nullptr};
  added.origin = std::make_shared<plugin::Origin>("nodes", "new", plugin::CallPriority::node_init);
  std::vector<std::string> ended;
  tasks_(broker_->find(old),
         [&](const InstanceAnswer& answer) { ended.push_back(answer.status.reason()); });
  tasks_(broker_->find(added), [&](const InstanceAnswer& answer) {
    ended.push_back(answer.status.ok() ? "found" : answer.status.reason());
  });
  source_.end(source_.lists, spent);  // decided before the new Node joined
  EXPECT_EQ(ended, std::vector<std::string>{"CallBudgetSpent"});
  ASSERT_EQ(source_.lists.size(), 1u) << "at once, not after the interval between listings";
  EXPECT_EQ(source_.origin->priority(), plugin::CallPriority::node_init);
  source_.end_list({{"new", "cloud://2"}});
  EXPECT_EQ(ended.back(), "found");
}

TEST_F(BrokerTest, AnInstanceThatStandsTwiceCountsOnce) {
  make();
  const auto twice = ask_new("a");
  const auto other = ask_new("b");
  source_.end_list({{"a", "cloud://1"}, {"b", "cloud://2"}, {"a", "cloud://1"}});
  EXPECT_EQ(provider_id(twice), "cloud://1");
  EXPECT_EQ(provider_id(other), "cloud://2") << "new Nodes do not wait for a second reading";
  ASSERT_EQ(source_.lists.size(), 1u) << "another one may have been missed, so it is read again";
  source_.end_list({{"a", "cloud://1"}, {"b", "cloud://2"}, {"a", "cloud://1"}});
  EXPECT_TRUE(source_.lists.empty()) << "once";
  EXPECT_EQ(answer(ask("c")), "waits") << "not absent: the listing is still doubtful";
  tasks_(broker_->list(), [](const auto& last) { EXPECT_EQ((*last)->size(), 2u); });
  EXPECT_TRUE(source_.lists.empty());
}

TEST_F(BrokerTest, WhatAShiftedListingLacksIsNotAbsent) {
  source_.getting = false;
  make();
  const auto missed = ask_new("c");
  bool refreshed = false;
  tasks_(broker_->refresh(), [&](const Result<InstanceSnapshot::Ptr>&) { refreshed = true; });
  timers_.advance(1ms);
  source_.end_list({{"a", "cloud://1"}});  // of the question
  EXPECT_EQ(answer(missed), "absent");
  const auto again = ask_new("d");
  source_.end_list({{"a", "cloud://1"}, {"a", "cloud://1"}});
  EXPECT_EQ(answer(again), "waits");
  EXPECT_FALSE(refreshed) << "the second look waits for the second reading";
  source_.end_list({{"a", "cloud://1"}, {"d", "cloud://4"}});
  EXPECT_EQ(answer(again), "running");
  EXPECT_TRUE(refreshed);
}

TEST_F(BrokerTest, AFailedListingIsNeverAbsence) {
  make();
  const auto first = ask("a");
  const auto second = ask("b");
  source_.end(source_.lists, down());
  EXPECT_EQ(answer(first), "failed");
  EXPECT_EQ(answer(second), "failed");
  EXPECT_EQ(answers_[first]->state(), CCM_INSTANCE_UNKNOWN);
  EXPECT_EQ(answer(ask("c")), "failed") << "remembered, not asked again at once";
  EXPECT_TRUE(source_.lists.empty());
  EXPECT_TRUE(source_.gets.empty());
  timers_.advance(5s);
  const auto later = ask("a");
  source_.end_list({{"a", "cloud://1"}});
  EXPECT_EQ(answer(later), "running");
}

TEST_F(BrokerTest, NODE_4_ACloudThatFailsIsAskedUntilItAnswersAgain) {
  make();
  std::vector<std::chrono::nanoseconds> outages;
  broker_->on_recovery([&](std::chrono::nanoseconds outage) { outages.push_back(outage); });
  listed({{"a", "cloud://1"}});
  EXPECT_TRUE(outages.empty());
  const auto seen = timers_.now();
  tasks_(broker_->refresh(), [](const auto&) {});
  source_.end(source_.lists, down());
  for (int failure = 0; failure < 3; ++failure) {
    timers_.advance(4s);
    EXPECT_TRUE(source_.lists.empty());
    timers_.advance(1s);
    ASSERT_EQ(source_.lists.size(), 1u) << "though nobody asks";
    source_.end(source_.lists, down());
  }
  timers_.advance(5s);
  source_.end_list({{"a", "cloud://1"}, {"b", "cloud://2"}});
  EXPECT_EQ(outages, std::vector<std::chrono::nanoseconds>{20s});
  EXPECT_EQ(answer(ask_since(seen, "b")), "running") << "known, so that thousands cost no call";
  timers_.advance(1min);
  EXPECT_TRUE(source_.lists.empty());
  EXPECT_EQ(outages.size(), 1u);
}

TEST_F(BrokerTest, ARefusedCredentialIsTriedLessOftenAndABadAnswerNotByItself) {
  make();
  ask("a");
  source_.end(source_.lists, Status(Code::unauthenticated, ErrorClass::auth, "401"));
  timers_.advance(9s);
  EXPECT_TRUE(source_.lists.empty());
  timers_.advance(1s);
  ASSERT_EQ(source_.lists.size(), 1u);
  source_.end(source_.lists, Status(Code::internal, "no list"));
  timers_.advance(1min);
  EXPECT_TRUE(source_.lists.empty()) << "the plugin's fault: only a new question asks again";
}

TEST_F(BrokerTest, AFailureKeepsTheLastGoodSnapshot) {
  make();
  listed({{"a", "cloud://1"}});
  tasks_(broker_->refresh(),
         [](const Result<InstanceSnapshot::Ptr>& listed) { EXPECT_FALSE(listed.ok()); });
  source_.end(source_.lists, down());
  EXPECT_EQ(answer(ask("a")), "running");
}

TEST_F(BrokerTest, AnEmptyListingProvesNothing) {
  make();
  const auto only = ask("a");
  source_.end_list({});
  EXPECT_EQ(answer(only), "waits") << "a second look is taken";
  tick();
  source_.end_get({"a", "cloud://1"});
  EXPECT_EQ(answer(only), "running");
  const auto gone = ask("b");
  tick();
  source_.end(source_.gets, not_found());
  EXPECT_EQ(answer(gone), "absent");
}

TEST_F(BrokerTest, AnEmptyListingDoesNotLeadToACallForEachOfThousands) {
  make();
  for (int number = 0; number < 1000; ++number) ask("node-" + std::to_string(number));
  source_.end_list({});
  tick();
  EXPECT_EQ(source_.gets.size(), 4u);
  EXPECT_EQ(answer(999), "DoubtfulListing");
}

TEST_F(BrokerTest, AnEmptyListingWithoutASecondLookIsUnknown) {
  source_.getting = false;
  make();
  const auto only = ask("a");
  source_.end_list({});
  EXPECT_EQ(answer(only), "DoubtfulListing");
}

TEST_F(BrokerTest, HalfAListIsDoubtedForAWhile) {
  source_.getting = false;
  make();
  listed({{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}});
  const auto missing = ask_new("e2");
  source_.end_list({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(answer(missing), "DoubtfulListing");
  EXPECT_EQ(answer(ask("a")), "running") << "what it holds is still true";
  timers_.advance(601s);
  const auto later = ask("e");
  source_.end_list({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(answer(later), "absent") << "it stayed short for ten minutes";
}

TEST_F(BrokerTest, AFailureEndsTheQuestionsThatItsListingCouldHaveAnswered) {
  make();
  const auto first = ask_new("a");
  timers_.advance(1ms);
  const auto later = ask_new("b");
  bool refreshed = false;
  tasks_(broker_->refresh(),
         [&](const Result<InstanceSnapshot::Ptr>& listed) { refreshed = listed.ok(); });
  source_.end(source_.lists, down());
  EXPECT_EQ(answer(first), "failed");
  EXPECT_EQ(answer(later), "waits") << "a listing that began after it runs for the refresh";
  source_.end_list({{"b", "cloud://2"}});
  EXPECT_EQ(answer(later), "running");
  EXPECT_TRUE(refreshed);
}

TEST_F(BrokerTest, RefreshBeginsAfterTheQuestion) {
  make();
  int lists = 0;
  tasks_(broker_->list(), [&](const Result<InstanceSnapshot::Ptr>&) { ++lists; });
  int refreshed = 0;
  tasks_(broker_->refresh(), [&](const Result<InstanceSnapshot::Ptr>&) { ++refreshed; });
  source_.end_list({{"a", "cloud://1"}});
  EXPECT_EQ(lists, 1);
  EXPECT_EQ(refreshed, 0);
  source_.end_list({{"a", "cloud://1"}});
  EXPECT_EQ(refreshed, 1);
  tasks_(broker_->list(), [&](const Result<InstanceSnapshot::Ptr>&) { ++lists; });
  EXPECT_EQ(lists, 2) << "a listing of this moment is given again";
}

}  // namespace
}  // namespace ccm::cloud

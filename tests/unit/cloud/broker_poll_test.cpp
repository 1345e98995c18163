// Questions that a controller repeats while instances are in doubt.
#include "broker_fixture.hpp"

namespace ccm::cloud {
namespace {

// As a controller asks about instances in doubt.
class PollTest : public BrokerTest {
 protected:
  std::size_t poll(const std::string& name, std::chrono::milliseconds max_age = 2500ms) {
    InstanceQuery query;
    query.name = name;
    query.max_age = max_age;
    return ask(std::move(query));
  }
};

TEST_F(PollTest, FewAreAskedForSinglyAgainAndAgain) {
  make();
  listed({{"a", "cloud://a"}, {"b", "cloud://b"}});
  for (int round = 0; round < 20; ++round) {
    const std::size_t asked = poll("a");
    EXPECT_EQ(answer(asked), "waits") << "the listing is older than that";
    tick();
    source_.end_get({"a", "cloud://a"});
    EXPECT_EQ(answer(asked), "running");
    EXPECT_EQ(answer(poll("a")), "running") << "young enough";
    timers_.advance(5s);
  }
  EXPECT_EQ(source_.listed, 1u);
  EXPECT_EQ(answer(ask("b")), "waits") << "100 s later the listing is too old for anybody";
}

TEST_F(PollTest, ManyAreListed) {
  make();
  listed({{"a", "cloud://a"}, {"b", "cloud://b"}});
  const std::size_t first = poll("a");
  const std::size_t second = poll("b");
  tick();
  EXPECT_TRUE(source_.gets.empty());
  source_.end_list({{"a", "cloud://a"}});
  EXPECT_EQ(answer(first), "running");
  EXPECT_EQ(answer(second), "absent");
}

TEST_F(PollTest, HCLOUD_661_WhenTheBudgetIsSpentTheAnswersGrowOlder) {
  make();
  listed(numbered_machines(1000));
  int listings = 0;
  for (int round = 0; round < 120; ++round) {  // ten minutes
    std::vector<std::size_t> asked;
    for (int number = 0; number < 50; ++number) {
      asked.push_back(poll("node-" + std::to_string(number)));
    }
    tick();
    EXPECT_TRUE(source_.gets.empty());
    if (!source_.lists.empty()) {
      ++listings;
      source_.end_list(numbered_machines(1000));
    }
    for (const std::size_t number : asked) EXPECT_EQ(answer(number), "running");
    timers_.advance(5s);
  }
  // 75 calls at once, which are 12 listings, then six in a minute.
  EXPECT_GE(listings, 12 + 9);
  EXPECT_LE(listings, 12 + 11);
}

// They come within a period, one by one, from a controller with few workers.
TEST_F(PollTest, HCLOUD_661_AllThatComeInAPeriodAreCounted) {
  make();
  listed(numbered_machines(1000));
  for (int round = 0; round < 3; ++round) {
    for (int number = 0; number < 9; ++number) {
      const std::string name = "node-" + std::to_string(number);
      poll(name);
      tick();
      while (!source_.gets.empty()) source_.end_get({name, "cloud://" + std::to_string(number)});
      if (!source_.lists.empty()) source_.end_list(numbered_machines(1000));
      timers_.advance(550ms);
    }
  }
  EXPECT_LE(source_.got.size(), 6u) << "what a listing costs";
  EXPECT_GE(source_.listed, 3u);
}

TEST_F(PollTest, ManyInAPeriodAreListedThoughTheyComeOneByOne) {
  make();
  listed(numbered_machines(1000));
  timers_.advance(20s);
  for (int number = 0; number < 50; ++number) {
    const std::string name = "node-" + std::to_string(number);
    poll(name);
    tick();
    while (!source_.gets.empty()) source_.end_get({name, "cloud://" + std::to_string(number)});
  }
  EXPECT_LE(source_.got.size(), 6u) << "what a listing costs";
  EXPECT_EQ(source_.lists.size(), 1u);
}

// Measured by the calls that the provider makes, not guessed by the number of instances.
TEST_F(PollTest, HCLOUD_661_TheCheaperCallIsTheOneThatCostLess) {
  make();
  ask("first");
  for (int page = 0; page < 30; ++page) source_.origin->answered({});
  source_.end_list({{"a", "cloud://a"}, {"b", "cloud://b"}});
  EXPECT_EQ(broker_->listing_calls(), 30u);
  timers_.advance(10s);
  poll("a");
  poll("b");
  tick();
  EXPECT_EQ(source_.gets.size(), 2u);
  EXPECT_TRUE(source_.lists.empty());
}

TEST_F(PollTest, HCLOUD_661_WhatALookUpFoundMissingIsNotAskedForAgainAtOnce) {
  make();
  listed({{"a", "cloud://a"}});
  int calls = 0;
  for (int second = 0; second < 600; ++second) {
    const std::size_t asked = poll("b", 500ms);
    tick();
    if (!source_.gets.empty()) {
      ++calls;
      source_.end(source_.gets, not_found());
    }
    if (!source_.lists.empty()) {
      ++calls;
      source_.end_list({{"a", "cloud://a"}});
    }
    EXPECT_EQ(answer(asked), "absent");
    timers_.advance(1s);
  }
  EXPECT_LE(calls, 100 + 60) << "the budget";
}

// For others the cloud is asked (DO-319).
TEST_F(PollTest, AnAbsenceIsRememberedForThoseWhoPollOnly) {
  make();
  listed({{"a", "cloud://a"}});
  poll("b");
  tick();
  source_.end(source_.gets, not_found());
  EXPECT_EQ(answer(poll("b", 5s)), "absent");
  EXPECT_EQ(answer(ask_new("b")), "waits");
}

// A softly deleted server of Nova: capo#2618.
TEST_F(PollTest, CAPO_2618_WhatOnlyLookUpsShowIsNotAbsentInAListing) {
  make();
  listed({{"a", "cloud://a"}, {"b", "cloud://b"}});
  InstanceQuery query;
  query.name = "soft";
  query.provider_id = "cloud://soft";
  tasks_(broker_->confirm(query), [](const InstanceAnswer&) {});
  tick();
  source_.end_get({"soft", "cloud://soft", CCM_INSTANCE_SHUTDOWN});
  timers_.advance(10s);
  const std::size_t first = poll("a");
  const std::size_t second = poll("b");
  query.max_age = 2500ms;
  const std::size_t third = ask(query);
  tick();
  source_.end_list({{"a", "cloud://a"}, {"b", "cloud://b"}});
  tick();
  EXPECT_EQ(answer(first), "running");
  EXPECT_EQ(answer(second), "running");
  EXPECT_EQ(answer(third), "waits");
  source_.end_get({"soft", "cloud://soft", CCM_INSTANCE_SHUTDOWN});
  EXPECT_EQ(answer(third), "shutdown");
  timers_.advance(10s);
  const std::size_t last = ask(query);
  tick();
  source_.end(source_.gets, not_found());
  EXPECT_EQ(answer(last), "absent") << "Nova has reclaimed it";
}

TEST_F(PollTest, WhatAnEmptyListingLacksIsAskedForSingly) {
  make();
  const std::size_t first = poll("a");
  const std::size_t second = poll("b");
  tick();
  source_.end_list({});
  tick();
  source_.end(source_.gets, not_found());
  source_.end(source_.gets, not_found());
  EXPECT_EQ(answer(first), "absent");
  EXPECT_EQ(answer(second), "absent");
  EXPECT_TRUE(source_.lists.empty());
}

TEST_F(PollTest, AConfirmationAlwaysCalls) {
  make();
  listed({{"a", "cloud://a"}});
  std::optional<int32_t> state;
  InstanceQuery query;
  query.name = "a";
  tasks_(broker_->confirm(query), [&](const InstanceAnswer& answer) { state = answer.state(); });
  tick();
  source_.end(source_.gets, not_found());
  EXPECT_EQ(state, CCM_INSTANCE_ABSENT);
  source_.getting = false;
  make();
  InstanceAnswer refused;
  tasks_(broker_->confirm(query), [&](const InstanceAnswer& answer) { refused = answer; });
  EXPECT_EQ(refused.status.code(), Code::unimplemented);
}

}  // namespace
}  // namespace ccm::cloud

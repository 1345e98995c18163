// Questions that a controller repeats while instances are in doubt.
#include "broker_fixture.hpp"

namespace ccm::plugin {
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

TEST_F(PollTest, InALargeCloudTheAnswersGrowOlder) {
  make();
  listed(numbered_machines(1000));
  std::vector<std::size_t> asked;
  for (int number = 0; number < 50; ++number)
    asked.push_back(poll("node-" + std::to_string(number)));
  tick();
  EXPECT_TRUE(source_.lists.empty()) << "six calls, for which it is too early";
  EXPECT_TRUE(source_.gets.empty());
  for (const std::size_t number : asked) EXPECT_EQ(answer(number), "running");
  timers_.advance(20s);
  for (int number = 0; number < 50; ++number) poll("node-" + std::to_string(number));
  tick();
  EXPECT_EQ(source_.lists.size(), 1u);
}

// As they do from a controller with few workers for thousands of Nodes.
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
  broker_->confirm(query, [&](const InstanceAnswer& answer) { state = answer.state(); });
  tick();
  source_.end(source_.gets, not_found());
  EXPECT_EQ(state, CCM_INSTANCE_ABSENT);
  source_.getting = false;
  InstanceAnswer refused;
  broker_->confirm(query, [&](const InstanceAnswer& answer) { refused = answer; });
  EXPECT_EQ(refused.status.code(), Code::unimplemented);
}

}  // namespace
}  // namespace ccm::plugin

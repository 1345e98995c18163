// Questions for new Nodes: an answer must have begun after the Node was seen.
#include "broker_fixture.hpp"

namespace ccm::cloud {
namespace {

TEST_F(BrokerTest, AFewNewInstancesAreAskedForSinglyManyAreListed) {
  make();
  listed({{"old", "cloud://0"}});
  for (int number = 0; number < 4; ++number) ask_new("new-" + std::to_string(number));
  tick();
  EXPECT_EQ(source_.gets.size(), 4u);
  EXPECT_TRUE(source_.lists.empty());
  const auto fifth = ask_new("new-4");
  const auto sixth = ask_new("new-5");
  ASSERT_EQ(source_.lists.size(), 1u) << "from the fifth on one listing is cheaper";
  tick();
  EXPECT_EQ(source_.gets.size(), 4u);
  source_.end_list({{"old", "cloud://0"}, {"new-4", "cloud://4"}, {"new-5", "cloud://5"}});
  EXPECT_EQ(answer(fifth), "running");
  EXPECT_EQ(answer(sixth), "running");
}

// A provider ID cannot be changed, so a wrong one stays until the Node goes.
TEST_F(BrokerTest, NODE_13_ANewNodeDoesNotGetTheInstanceThatHadItsNameBefore) {
  make();
  listed({{"a", "cloud://old"}});
  const auto replaced = ask_new("a");
  EXPECT_EQ(answer(replaced), "waits") << "the listing began before the Node was there";
  tick();
  source_.end_get({"a", "cloud://new"});
  EXPECT_EQ(provider_id(replaced), "cloud://new");
  EXPECT_EQ(provider_id(ask_new("a")), "cloud://new") << "the answer to a call of this moment";
  timers_.advance(1s);
  EXPECT_EQ(answer(ask_new("a")), "waits") << "nor that of a single call before it";
}

TEST_F(BrokerTest, NODE_13_NorFromAListingThatRunsAlready) {
  source_.getting = false;
  make();
  const auto first = ask_new("first");
  timers_.advance(500ms);
  const auto replaced = ask_new("a");
  source_.end_list({{"first", "cloud://1"}, {"a", "cloud://old"}});
  EXPECT_EQ(provider_id(first), "cloud://1");
  EXPECT_EQ(answer(replaced), "waits");
  timers_.advance(500ms);
  source_.end_list({{"first", "cloud://1"}, {"a", "cloud://new"}});
  EXPECT_EQ(provider_id(replaced), "cloud://new");
}

TEST_F(BrokerTest, NewNodesThatAreSeenTogetherShareAListing) {
  make();
  const auto seen = timers_.now();
  ask_since(seen, "node-0");
  timers_.advance(300ms);
  source_.end_list(numbered_machines(5000));
  // A controller's workers ask for them a few at a time.
  for (int number = 1; number < 5000; ++number) {
    timers_.advance(2ms);
    ASSERT_EQ(answer(ask_since(seen, "node-" + std::to_string(number))), "running");
  }
  EXPECT_EQ(source_.listed, 1u);
  EXPECT_TRUE(source_.got.empty());
}

// One after the other for ten seconds, in a cloud whose listing takes 26 calls.
TEST_F(BrokerTest, NewNodesThatJoinInAStreamShareListings) {
  make();
  const auto machines = numbered_machines(5000);
  listed(machines);
  const auto serve = [&] {
    while (!source_.gets.empty()) {
      const std::string name = source_.got[source_.got.size() - source_.gets.size()];
      source_.end_get({name, "cloud://" + name.substr(5)});
    }
    while (!source_.lists.empty()) source_.end_list(machines);
  };
  const std::size_t first = answers_.size();
  for (int number = 0; number < 5000; ++number) {
    ask_new("node-" + std::to_string(number));
    timers_.advance(2ms);
    serve();
  }
  for (int second = 0; second < 30; ++second) {
    timers_.advance(1s);
    serve();
  }
  for (std::size_t number = first; number < answers_.size(); ++number) {
    ASSERT_EQ(answer(number), "running") << number;
  }
  EXPECT_LE(source_.listed, 3u) << "with the one before they joined";
  EXPECT_LE(source_.got.size(), 3u * 26) << "never more than a listing would cost";
}

TEST_F(BrokerTest, AQuestionDuringAListingIsNotAnsweredAbsentByIt) {
  make();
  ask("a");
  timers_.advance(1s);
  const auto later = ask_new("b");  // registered while the pages were read
  source_.end_list({{"a", "cloud://1"}});
  EXPECT_EQ(answer(later), "waits");
  tick();
  source_.end_get({"b", "cloud://2"});
  EXPECT_EQ(answer(later), "running");
}

TEST_F(BrokerTest, WithoutGetTheNextListingDecides) {
  source_.getting = false;
  make();
  ask("a");
  timers_.advance(500ms);
  const auto later = ask_new("b");
  source_.end_list({{"a", "cloud://1"}});
  EXPECT_EQ(answer(later), "waits");
  EXPECT_TRUE(source_.lists.empty()) << "one call a second";
  timers_.advance(500ms);
  source_.end_list({{"a", "cloud://1"}});
  EXPECT_EQ(answer(later), "absent");
}

TEST_F(BrokerTest, AnOldNodeThatTheListingLacksIsAbsentWithoutAnotherCall) {
  make();
  const auto seen = timers_.now();
  timers_.advance(61s);
  listed({{"a", "cloud://1"}});
  EXPECT_EQ(answer(ask_since(seen, "gone", "cloud://2")), "absent");
  const auto lately = timers_.now() - 15s;
  const auto early = ask_since(lately, "new", "cloud://3");
  EXPECT_EQ(answer(early), "waits") << "the listing may be too early for it";
  tick();
  source_.end_get({"new", "cloud://3"});
  EXPECT_EQ(answer(early), "running");
}

}  // namespace
}  // namespace ccm::cloud

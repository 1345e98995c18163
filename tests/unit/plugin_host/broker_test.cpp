#include "../runtime/manual_timers.hpp"
#include "plugin/broker/instances_broker.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace ccm::plugin {
namespace {

using namespace std::chrono_literals;

struct Machine {
  std::string name;
  std::string provider_id;
  int32_t state = CCM_INSTANCE_RUNNING;
};

InstanceSnapshot::Ptr snapshot_of(const std::vector<Machine>& machines) {
  std::vector<ccm_instance> instances;
  for (const Machine& machine : machines) {
    ccm_instance instance{};
    instance.size = sizeof(instance);
    instance.state = machine.state;
    instance.name = c_str(machine.name);
    instance.provider_id = c_str(machine.provider_id);
    instances.push_back(instance);
  }
  std::vector<const ccm_instance*> pointers;
  for (const ccm_instance& instance : instances) pointers.push_back(&instance);
  const ccm_instance_list list{sizeof(list), 0, pointers.data(), pointers.size(), 0};
  auto copied = InstanceSnapshot::copy(&list);
  EXPECT_TRUE(copied.ok());
  return *copied;
}

// Keeps each call open until the test ends it.
class ScriptedSource final : public MachineSource {
 public:
  [[nodiscard]] bool can_list() const override { return listing; }
  [[nodiscard]] bool can_describe() const override { return describing; }
  [[nodiscard]] bool can_get() const override { return getting; }
  void set_origin(const std::shared_ptr<Origin>& of) override { origin = of; }
  void list(Done done) override { lists.push_back(std::move(done)); }
  void describe(std::vector<MachineQuery> queries, Done done) override {
    described.push_back(queries.size());
    describes.push_back(std::move(done));
  }
  void get(MachineQuery query, Done done) override {
    got.push_back(query.name);
    gets.push_back(std::move(done));
  }

  static void end(std::deque<Done>& calls, Result<InstanceSnapshot::Ptr> result) {
    ASSERT_FALSE(calls.empty()) << "no such call runs";
    auto done = std::move(calls.front());
    calls.pop_front();
    done(std::move(result));
  }
  void end_list(const std::vector<Machine>& machines) { end(lists, snapshot_of(machines)); }
  void end_get(const Machine& machine) { end(gets, snapshot_of({machine})); }

  bool listing = true, describing = false, getting = true;
  std::deque<Done> lists, describes, gets;
  std::vector<std::size_t> described;
  std::vector<std::string> got;
  std::shared_ptr<Origin> origin;  // of the last call
};

Status not_found() { return Status(Code::not_found, ErrorClass::not_found, "no such machine"); }
Status down() { return Status(Code::unavailable, ErrorClass::unavailable, "cloud is down"); }

class BrokerTest : public testing::Test {
 protected:
  void make(BrokerOptions options = {}) { broker_.emplace(source_, timers_, std::move(options)); }
  std::size_t ask(MachineQuery query) {
    const std::size_t number = answers_.size();
    answers_.emplace_back();
    broker_->find(std::move(query),
                  [this, number](const MachineAnswer& answer) { answers_[number] = answer; });
    return number;
  }
  std::size_t ask(std::string name, std::string provider_id = {}) {
    return ask(MachineQuery{std::move(name), std::move(provider_id), nullptr});
  }
  // For a Node that the host has seen since then.
  std::size_t ask_since(runtime::TimePoint seen, std::string name, std::string provider_id = {}) {
    MachineQuery query{std::move(name), std::move(provider_id), nullptr};
    query.not_before = seen;
    return ask(std::move(query));
  }
  // For a Node that the host sees now for the first time.
  std::size_t ask_new(std::string name, std::string provider_id = {}) {
    return ask_since(timers_.now(), std::move(name), std::move(provider_id));
  }
  std::string provider_id(std::size_t number) const {
    const auto& given = answers_[number];
    if (!given || !given->snapshot) return answer(number);
    return std::string(given->snapshot->provider_id(given->index));
  }
  std::string answer(std::size_t number) const {
    const auto& given = answers_[number];
    if (!given) return "waits";
    if (!given->status.ok()) {
      return given->status.reason().empty() ? "failed" : given->status.reason();
    }
    switch (given->state()) {
      case CCM_INSTANCE_RUNNING:
        return "running";
      case CCM_INSTANCE_SHUTDOWN:
        return "shutdown";
      case CCM_INSTANCE_TERMINATED:
        return "terminated";
      case CCM_INSTANCE_ABSENT:
        return "absent";
      default:
        return "unknown";
    }
  }
  void tick() { timers_.advance(0ms); }
  // A first listing, long enough ago for a second one.
  void listed(const std::vector<Machine>& machines) {
    ask("first");
    source_.end_list(machines);
    timers_.advance(10s);
  }

  runtime::ManualTimers timers_;
  ScriptedSource source_;
  std::optional<InstancesBroker> broker_;
  std::vector<std::optional<MachineAnswer>> answers_;
};

TEST_F(BrokerTest, AListingIsAsImportantAsTheMostImportantOfThoseWhoWaitForIt) {
  make();
  const auto refresh = std::make_shared<Origin>("nodes", "old", CallPriority::refresh);
  const auto fresh = std::make_shared<Origin>("nodes", "new", CallPriority::node_init);
  int answered = 0;
  const auto count = [&](const MachineAnswer& answer) { answered += answer.status.ok() ? 1 : 0; };
  MachineQuery old{"old", "", nullptr};
  old.origin = refresh;
  broker_->find(old, count);
  EXPECT_EQ(source_.origin->priority(), CallPriority::refresh);
  MachineQuery added{"new", "", nullptr};
  added.origin = fresh;
  broker_->find(added, count);
  EXPECT_EQ(source_.origin->priority(), CallPriority::node_init) << "the call that waits may go";
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
                           .with_reason(std::string(kCallBudgetSpent));
  MachineQuery old{"old", "", nullptr};
  old.origin = std::make_shared<Origin>("nodes", "old", CallPriority::refresh);
  MachineQuery added{"new", "", nullptr};
  added.origin = std::make_shared<Origin>("nodes", "new", CallPriority::node_init);
  std::vector<std::string> ended;
  broker_->find(old, [&](const MachineAnswer& answer) { ended.push_back(answer.status.reason()); });
  broker_->find(added, [&](const MachineAnswer& answer) {
    ended.push_back(answer.status.ok() ? "found" : answer.status.reason());
  });
  ScriptedSource::end(source_.lists, spent);  // decided before the new Node joined
  EXPECT_EQ(ended, std::vector<std::string>{"CallBudgetSpent"});
  ASSERT_EQ(source_.lists.size(), 1u) << "at once, not after the interval between listings";
  EXPECT_EQ(source_.origin->priority(), CallPriority::node_init);
  source_.end_list({{"new", "cloud://2"}});
  EXPECT_EQ(ended.back(), "found");
}

TEST_F(BrokerTest, OneListingAnswersThousands) {
  make();
  std::vector<Machine> machines;
  for (int number = 0; number < 5000; ++number) {
    const std::string id = std::to_string(number);
    machines.push_back({"node-" + id, "cloud://" + id});
    ask("node-" + id);
  }
  ASSERT_EQ(source_.lists.size(), 1u);
  source_.end_list(machines);
  for (std::size_t number = 0; number < 5000; ++number) ASSERT_EQ(answer(number), "running");
  EXPECT_EQ(answers_[42]->snapshot->provider_id(answers_[42]->index), "cloud://42");
  EXPECT_EQ(answer(ask("node-7")), "running") << "from the snapshot, at once";
  EXPECT_EQ(broker_->statistics().listings, 1u);
  EXPECT_EQ(broker_->statistics().gets, 0u);
}

// As a controller asks that looks after machines in doubt.
class PollTest : public BrokerTest {
 protected:
  std::size_t poll(const std::string& name, std::chrono::milliseconds max_age = 2500ms) {
    MachineQuery query;
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
  EXPECT_EQ(broker_->statistics().listings, 1u);
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
  std::vector<Machine> machines;
  for (int number = 0; number < 1000; ++number) {
    machines.push_back({"n" + std::to_string(number), "cloud://" + std::to_string(number)});
  }
  listed(machines);
  std::vector<std::size_t> asked;
  for (int number = 0; number < 50; ++number) asked.push_back(poll("n" + std::to_string(number)));
  tick();
  EXPECT_TRUE(source_.lists.empty()) << "six calls, for which it is too early";
  EXPECT_TRUE(source_.gets.empty());
  for (const std::size_t number : asked) EXPECT_EQ(answer(number), "running");
  timers_.advance(20s);
  for (int number = 0; number < 50; ++number) poll("n" + std::to_string(number));
  tick();
  EXPECT_EQ(source_.lists.size(), 1u);
}

// As they do from a controller with few workers for thousands of Nodes.
TEST_F(PollTest, ManyInAPeriodAreListedThoughTheyComeOneByOne) {
  make();
  std::vector<Machine> machines;
  for (int number = 0; number < 1000; ++number) {
    machines.push_back({"n" + std::to_string(number), "cloud://" + std::to_string(number)});
  }
  listed(machines);
  timers_.advance(20s);
  for (int number = 0; number < 50; ++number) {
    const std::string name = "n" + std::to_string(number);
    poll(name);
    tick();
    while (!source_.gets.empty()) source_.end_get({name, "cloud://" + std::to_string(number)});
  }
  EXPECT_LE(broker_->statistics().gets, 6u) << "what a listing costs";
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
  MachineQuery query;
  query.name = "a";
  broker_->confirm(query, [&](const MachineAnswer& answer) { state = answer.state(); });
  tick();
  source_.end(source_.gets, not_found());
  EXPECT_EQ(state, CCM_INSTANCE_ABSENT);
  source_.getting = false;
  MachineAnswer refused;
  broker_->confirm(query, [&](const MachineAnswer& answer) { refused = answer; });
  EXPECT_EQ(refused.status.code(), Code::unimplemented);
}

TEST_F(BrokerTest, AnOldSnapshotIsListedAgain) {
  make();
  listed({{"a", "cloud://1"}});
  EXPECT_EQ(answer(ask("a")), "running");
  timers_.advance(60s);
  const auto again = ask("a");
  EXPECT_EQ(answer(again), "waits");
  source_.end_list({{"a", "cloud://1", CCM_INSTANCE_SHUTDOWN}});
  EXPECT_EQ(answer(again), "shutdown");
}

TEST_F(BrokerTest, CLOUD_13_TheProviderIdCountsBeforeTheName) {
  make();
  listed({{"a", "cloud://1"}, {"b", "cloud://2"}});
  const auto by_id = ask("a", "cloud://2");
  ASSERT_EQ(answer(by_id), "running");
  EXPECT_EQ(answers_[by_id]->snapshot->name(answers_[by_id]->index), "b");
}

TEST_F(BrokerTest, AMachineThatTookOverTheNameIsNotTheOldOne) {
  make();
  listed({{"a", "cloud://9"}});
  const auto old = ask_new("a", "cloud://1");
  tick();
  source_.end(source_.gets, not_found());
  EXPECT_EQ(answer(old), "absent");
}

TEST_F(BrokerTest, ANameMustFitExactlyOneMachine) {
  make();
  const auto twice = ask("a");
  const auto prefix = ask("b");
  source_.end_list({{"a", "cloud://1"}, {"a", "cloud://2"}, {"b2", "cloud://3"}});
  EXPECT_EQ(answer(twice), "AmbiguousMachine");
  EXPECT_EQ(answer(prefix), "absent");
}

TEST_F(BrokerTest, ADestroyedNamesakeIsNoAmbiguity) {
  make();
  const auto reused = ask("a");
  const auto gone = ask("b");
  source_.end_list({{"a", "cloud://1", CCM_INSTANCE_TERMINATED},
                    {"a", "cloud://2"},
                    {"b", "cloud://3", CCM_INSTANCE_TERMINATED}});
  EXPECT_EQ(answer(reused), "running");
  EXPECT_EQ(answer(gone), "terminated");
}

TEST_F(BrokerTest, AnotherProvidersMachinesAreNeverAskedFor) {
  BrokerOptions options;
  options.provider_id_prefixes = {"cloud://"};
  make(std::move(options));
  EXPECT_EQ(answer(ask("a", "aws:///eu/i-1")), "ForeignProviderID");
  EXPECT_TRUE(source_.lists.empty());
  ask("a", "cloud://1");
  EXPECT_EQ(source_.lists.size(), 1u);
}

TEST_F(BrokerTest, AMachineThatStandsTwiceCountsOnce) {
  make();
  const auto twice = ask_new("a");
  const auto other = ask_new("b");
  source_.end_list({{"a", "cloud://1"}, {"b", "cloud://2"}, {"a", "cloud://1"}});
  EXPECT_EQ(provider_id(twice), "cloud://1");
  EXPECT_EQ(provider_id(other), "cloud://2") << "new Nodes do not wait for a second reading";
  EXPECT_TRUE(broker_->doubtful());
  ASSERT_EQ(source_.lists.size(), 1u) << "another one may have been missed, so it is read again";
  source_.end_list({{"a", "cloud://1"}, {"b", "cloud://2"}, {"a", "cloud://1"}});
  EXPECT_TRUE(source_.lists.empty()) << "once";
  EXPECT_TRUE(broker_->doubtful());
  EXPECT_EQ(broker_->snapshot()->size(), 2u);
}

TEST_F(BrokerTest, WhatAShiftedListingLacksIsNotAbsent) {
  source_.getting = false;
  make();
  const auto missed = ask_new("c");
  bool refreshed = false;
  broker_->refresh([&](const Result<InstanceSnapshot::Ptr>&) { refreshed = true; });
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

TEST_F(BrokerTest, TheLaterOfTwoEntriesCounts) {
  make();
  const auto asked = ask("a");
  source_.end_list({{"a", "cloud://1", CCM_INSTANCE_STARTING}, {"a", "cloud://1"}});
  EXPECT_EQ(answer(asked), "running");
}

TEST_F(BrokerTest, AProviderIDThatTheManifestDoesNotDeclareRefusesTheListing) {
  BrokerOptions options;
  options.provider_id_prefixes = {"cloud://", "old-cloud://"};
  make(std::move(options));
  const auto wrong = ask("a");
  source_.end_list({{"b", "cloud://1"}, {"a", "other://1"}});
  ASSERT_TRUE(answers_[wrong]);
  EXPECT_EQ(answers_[wrong]->status.message(),
            "the cloud provider gives machine \"a\" the provider ID \"other://1\", which begins "
            "with none of the prefixes that its manifest declares (cloud://, old-cloud://); its "
            "answer is not used");
  EXPECT_EQ(broker_->snapshot(), nullptr);
  timers_.advance(5s);
  const auto named = ask("a");
  source_.end_list({{"a", "old-cloud://1"}, {"nameless", ""}});
  EXPECT_EQ(answer(named), "running");
  timers_.advance(1s);
  const auto single = ask_new("c");
  tick();
  source_.end_get({"c", "other://3"});
  EXPECT_EQ(answer(single), "UndeclaredProviderID");
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
  broker_->refresh([](const auto&) {});
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
  broker_->refresh([](const Result<InstanceSnapshot::Ptr>& listed) { EXPECT_FALSE(listed.ok()); });
  source_.end(source_.lists, down());
  EXPECT_EQ(answer(ask("a")), "running");
}

TEST_F(BrokerTest, AFewNewMachinesAreAskedForSinglyManyAreListed) {
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
TEST_F(BrokerTest, NODE_13_ANewNodeDoesNotGetTheMachineThatHadItsNameBefore) {
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
  std::vector<Machine> machines;
  const auto seen = timers_.now();
  for (int number = 0; number < 5000; ++number) {
    const std::string id = std::to_string(number);
    machines.push_back({"node-" + id, "cloud://" + id});
  }
  ask_since(seen, "node-0");
  timers_.advance(300ms);
  source_.end_list(machines);
  // A controller's workers ask for them a few at a time.
  for (int number = 1; number < 5000; ++number) {
    timers_.advance(2ms);
    ASSERT_EQ(answer(ask_since(seen, "node-" + std::to_string(number))), "running");
  }
  EXPECT_EQ(broker_->statistics().listings, 1u);
  EXPECT_EQ(broker_->statistics().gets, 0u);
}

// One after the other for ten seconds, in a cloud whose listing takes 26 calls.
TEST_F(BrokerTest, NewNodesThatJoinInAStreamShareListings) {
  make();
  std::vector<Machine> machines;
  for (int number = 0; number < 5000; ++number) {
    const std::string id = std::to_string(number);
    machines.push_back({"node-" + id, "cloud://" + id});
  }
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
  EXPECT_LE(broker_->statistics().listings, 3u) << "with the one before they joined";
  EXPECT_LE(broker_->statistics().gets, 3u * 26) << "never more than a listing would cost";
}

TEST_F(BrokerTest, ASingleAnswerIsGivenAgain) {
  make();
  listed({{"old", "cloud://0"}});
  const auto seen = timers_.now();
  ask_since(seen, "new");
  tick();
  source_.end_get({"new", "cloud://1"});
  timers_.advance(30s);
  EXPECT_EQ(answer(ask_since(seen, "new")), "running");
  EXPECT_EQ(source_.got.size(), 1u);
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

TEST_F(BrokerTest, AnEmptyListingProvesNothing) {
  make();
  const auto only = ask("a");
  source_.end_list({});
  EXPECT_TRUE(broker_->doubtful());
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

TEST_F(BrokerTest, AGetThatFailsIsUnknown) {
  make();
  listed({{"old", "cloud://0"}});
  const auto unclear = ask_new("new");
  const auto vague = ask_new("new2");
  tick();
  source_.end(source_.gets, Status(Code::not_found, "no such page"));
  source_.end(source_.gets, snapshot_of({{"new2", "cloud://1", CCM_INSTANCE_UNKNOWN}}));
  EXPECT_EQ(answer(unclear), "failed") << "not found, but not certainly";
  EXPECT_EQ(answer(vague), "failed");
}

TEST_F(BrokerTest, SingleCallsAreBounded) {
  source_.listing = false;
  make();
  for (int number = 0; number < 20; ++number) ask("node-" + std::to_string(number));
  tick();
  EXPECT_EQ(source_.gets.size(), 8u);
  source_.end_get({"node-0", "cloud://0"});
  EXPECT_EQ(answer(0), "running");
  EXPECT_EQ(source_.gets.size(), 8u);
  EXPECT_EQ(source_.got.size(), 9u);
}

TEST_F(BrokerTest, AProviderWithoutListDescribesInBatches) {
  source_.listing = false;
  source_.getting = false;
  source_.describing = true;
  make();
  std::vector<Machine> machines;
  for (int number = 0; number < 150; ++number) {
    ask("node-" + std::to_string(number));
    machines.push_back({"node-" + std::to_string(number), "cloud://" + std::to_string(number),
                        number == 3 ? CCM_INSTANCE_ABSENT : CCM_INSTANCE_RUNNING});
  }
  tick();
  ASSERT_EQ(source_.described, (std::vector<std::size_t>{100, 50}));
  source_.end(source_.describes, snapshot_of({machines.begin(), machines.begin() + 100}));
  EXPECT_EQ(answer(3), "absent");
  EXPECT_EQ(answer(99), "running");
  EXPECT_EQ(answer(100), "waits");
  source_.end(source_.describes, snapshot_of({{"node-100", "cloud://100"}}));
  EXPECT_EQ(answer(100), "failed") << "the wrong number of answers answers nothing";
}

TEST_F(BrokerTest, AProviderThatOffersNothing) {
  source_.listing = false;
  source_.getting = false;
  make();
  const auto asked = ask("a");
  ASSERT_TRUE(answers_[asked]);
  EXPECT_EQ(answers_[asked]->status.error_class(), ErrorClass::unsupported);
}

TEST_F(BrokerTest, RefreshBeginsAfterTheQuestion) {
  make();
  int lists = 0;
  broker_->list([&](const Result<InstanceSnapshot::Ptr>&) { ++lists; });
  int refreshed = 0;
  broker_->refresh([&](const Result<InstanceSnapshot::Ptr>&) { ++refreshed; });
  source_.end_list({{"a", "cloud://1"}});
  EXPECT_EQ(lists, 1);
  EXPECT_EQ(refreshed, 0);
  source_.end_list({{"a", "cloud://1"}});
  EXPECT_EQ(refreshed, 1);
  broker_->list([&](const Result<InstanceSnapshot::Ptr>&) { ++lists; });
  EXPECT_EQ(lists, 2) << "a listing of this moment is given again";
}

TEST(InstanceSnapshotTest, FiveThousandMachinesTakeLittleMemory) {
  std::vector<std::string> texts;
  std::vector<ccm_instance> instances(5000);
  std::vector<std::vector<ccm_node_address>> addresses(5000);
  texts.reserve(5000 * 4);
  const auto keep = [&](std::string text) {
    texts.push_back(std::move(text));
    return c_str(texts.back());
  };
  const ccm_key_value label{c_str("example.com/pool"), c_str("workers")};
  std::vector<const ccm_instance*> pointers;
  for (std::size_t index = 0; index < instances.size(); ++index) {
    const std::string number = std::to_string(100000 + index);
    addresses[index] = {{c_str("Hostname"), keep("worker-pool-a-" + number)},
                        {c_str("InternalIP"), keep("10.128." + number)},
                        {c_str("ExternalIP"), keep("203.0.113." + number)}};
    instances[index] = {sizeof(ccm_instance),
                        CCM_INSTANCE_RUNNING,
                        keep("digitalocean://" + number),
                        addresses[index][0].address,
                        c_str("s-4vcpu-8gb"),
                        c_str(""),
                        c_str("fra1"),
                        addresses[index].data(),
                        addresses[index].size(),
                        &label,
                        1};
    pointers.push_back(&instances[index]);
  }
  const ccm_instance_list list{sizeof(list), 0, pointers.data(), pointers.size(), 0};
  const auto copied = InstanceSnapshot::copy(&list);
  ASSERT_TRUE(copied.ok());
  const auto& snapshot = *copied;
  EXPECT_LT(snapshot->memory(), 2u << 20) << snapshot->memory();
  texts.clear();
  const std::size_t index = snapshot->find_provider_id("digitalocean://104999");
  ASSERT_NE(index, InstanceSnapshot::kNone);
  InstanceExport exported;
  exported.add(snapshot, index);
  const ccm_instance& machine = *exported.list().instances[0];
  EXPECT_EQ(view(machine.name), "worker-pool-a-104999");
  EXPECT_EQ(view(machine.instance_type), "s-4vcpu-8gb");
  EXPECT_EQ(view(machine.zone), "");
  ASSERT_EQ(machine.address_count, 3u);
  EXPECT_EQ(view(machine.addresses[2].type), "ExternalIP");
  EXPECT_EQ(view(machine.addresses[2].address), "203.0.113.104999");
  EXPECT_EQ(view(machine.labels[0].value), "workers");
}

TEST(InstanceSnapshotTest, MalformedListsAreRefused) {
  EXPECT_FALSE(InstanceSnapshot::copy(static_cast<const ccm_instance_list*>(nullptr)).ok());
  EXPECT_FALSE(InstanceSnapshot::copy(static_cast<const ccm_instance*>(nullptr)).ok());
  ccm_instance shorter{};
  shorter.size = offsetof(ccm_instance, provider_id);
  EXPECT_FALSE(InstanceSnapshot::copy(&shorter).ok());
  const ccm_instance_list promised{sizeof(promised), 0, nullptr, 3, 0};
  EXPECT_FALSE(InstanceSnapshot::copy(&promised).ok());
}

}  // namespace
}  // namespace ccm::plugin

// The instance that answers a question, and the call that finds it.
#include "broker_fixture.hpp"

namespace ccm::cloud {
namespace {

TEST_F(BrokerTest, OneListingAnswersThousands) {
  make();
  const auto machines = numbered_machines(5000);
  for (const Machine& machine : machines) ask(machine.name);
  ASSERT_EQ(source_.lists.size(), 1u);
  source_.end_list(machines);
  for (std::size_t number = 0; number < 5000; ++number) ASSERT_EQ(answer(number), "running");
  EXPECT_EQ(answers_[42]->snapshot->provider_id(answers_[42]->index), "cloud://42");
  EXPECT_EQ(answer(ask("node-7")), "running") << "from the snapshot, at once";
  EXPECT_EQ(source_.listed, 1u);
  EXPECT_TRUE(source_.got.empty());
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

TEST_F(BrokerTest, Issue37_WhateverIdIsAskedForTheAnswerHasTheInstancesOwn) {
  make();
  listed({{"a", "cloud://z/1", CCM_INSTANCE_RUNNING, {}, {"cloud:///1"}}});
  EXPECT_EQ(provider_id(ask("a", "cloud:///1")), "cloud://z/1");
  EXPECT_EQ(provider_id(ask("a", "cloud://z/1")), "cloud://z/1");
  EXPECT_EQ(broker_->own_id("cloud:///1"), "cloud://z/1");
  EXPECT_EQ(broker_->own_id("cloud:///2"), "cloud:///2");
  EXPECT_TRUE(source_.got.empty());
}

TEST_F(BrokerTest, Issue37_AHintUnderOneIdCountsUnderAll) {
  make();
  const std::vector<Machine> machines{
      {"a", "cloud://z/1", CCM_INSTANCE_RUNNING, {}, {"cloud:///1"}}};
  listed(machines);
  broker_->hinted({}, "cloud://z/1");
  const auto after = ask("b", "cloud:///1");
  EXPECT_EQ(answer(after), "waits");
  tick();
  source_.end_get({"a", "cloud://z/1", CCM_INSTANCE_SHUTDOWN});
  EXPECT_EQ(answer(after), "shutdown");
}

TEST_F(BrokerTest, Issue37_AnotherIdNeedsADeclaredPrefixToo) {
  BrokerOptions options;
  options.provider_id_prefixes = {"cloud://"};
  make(options);
  const auto asked = ask("a");
  source_.end_list({{"a", "cloud://1", CCM_INSTANCE_RUNNING, {}, {"other://1"}}});
  EXPECT_EQ(answer(asked), "UndeclaredProviderID");
}

TEST_F(BrokerTest, AnInstanceThatTookOverTheNameIsNotTheOldOne) {
  make();
  listed({{"a", "cloud://9"}});
  const auto old = ask_new("a", "cloud://1");
  tick();
  source_.end(source_.gets, not_found());
  EXPECT_EQ(answer(old), "absent");
}

TEST_F(BrokerTest, ANameMustFitExactlyOneInstance) {
  make();
  const auto twice = ask("a");
  const auto prefix = ask("b");
  source_.end_list({{"a", "cloud://1"}, {"a", "cloud://2"}, {"b2", "cloud://3"}});
  EXPECT_EQ(answer(twice), "AmbiguousInstance");
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

TEST_F(BrokerTest, AnotherProvidersInstancesAreNeverAskedFor) {
  BrokerOptions options;
  options.provider_id_prefixes = {"cloud://"};
  make(std::move(options));
  EXPECT_EQ(answer(ask("a", "aws:///eu/i-1")), "ForeignProviderID");
  EXPECT_TRUE(source_.lists.empty());
  ask("a", "cloud://1");
  EXPECT_EQ(source_.lists.size(), 1u);
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
            "the cloud provider gives instance \"a\" the provider ID \"other://1\", which begins "
            "with none of the prefixes that its manifest declares (cloud://, old-cloud://); its "
            "answer is not used");
  EXPECT_EQ(answer(ask("b")), "UndeclaredProviderID") << "nothing of it is used";
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

TEST_F(BrokerTest, AGetThatFailsIsUnknown) {
  make();
  listed({{"old", "cloud://0"}});
  const auto unclear = ask_new("new");
  const auto vague = ask_new("new2");
  tick();
  source_.end(source_.gets, Status(Code::not_found, "no such page"));
  source_.end(source_.gets, std::vector<Machine>{{"new2", "cloud://1", CCM_INSTANCE_UNKNOWN}});
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
  auto machines = numbered_machines(150);
  for (const Machine& machine : machines) ask(machine.name);
  machines[3].state = CCM_INSTANCE_ABSENT;
  tick();
  ASSERT_EQ(source_.described, (std::vector<std::size_t>{100, 50}));
  source_.end(source_.describes, std::vector<Machine>(machines.begin(), machines.begin() + 100));
  EXPECT_EQ(answer(3), "absent");
  EXPECT_EQ(answer(99), "running");
  EXPECT_EQ(answer(100), "waits");
  source_.end(source_.describes, std::vector<Machine>{{"node-100", "cloud://100"}});
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

}  // namespace
// A provider that answers with the spelling it was asked for, against R-73.
TEST_F(BrokerTest, Issue37_AnInstanceHasOneIdWhateverTheProviderRepeats) {
  make();
  const Machine own{"node-1", "cloud://eu/Ab-1", CCM_INSTANCE_RUNNING, {"10.0.0.1"}};
  for (const char* id : {"cloud://eu/AB-1", "cloud:///ab-1", "cloud://eu/%41b-1", "cloud://ab-%31",
                         "cloud://Ab-1 ", "cloud://eu/ab-1/"}) {
    tasks_(broker_->list(), [](const Result<InstanceSnapshot::Ptr>&) {});
    source_.end_list({own, {"node-2", "cloud://eu/c"}});
    timers_.advance(10s);
    const auto asked = ask_new("evil", id);
    tick();
    Machine repeated = own;
    repeated.provider_id = id;
    source_.end_get(repeated);
    EXPECT_EQ(provider_id(asked), "cloud://eu/Ab-1") << id;
  }
}

TEST_F(BrokerTest, Issue37_InstancesThatOnlyResembleOneAreTheirOwn) {
  make();
  listed({{"node-1", "cloud://Ab-1", CCM_INSTANCE_RUNNING, {"10.0.0.1"}}});
  const std::vector<Machine> others{
      {"node-1", "cloud://AB-2", CCM_INSTANCE_RUNNING, {"10.0.0.1"}},  // made again
      {"node-1", "cloud://AB-1", CCM_INSTANCE_RUNNING, {"10.0.0.2"}},
      {"node-1", "cloud://AB-1", CCM_INSTANCE_RUNNING, {}},
      {"node-2", "cloud://AB-1", CCM_INSTANCE_RUNNING, {"10.0.0.1"}}};
  for (const Machine& other : others) {
    const auto asked = ask_new(other.name, other.provider_id);
    tick();
    source_.end_get(other);
    EXPECT_EQ(provider_id(asked), other.provider_id) << other.name;
    timers_.advance(1s);
  }
}

TEST_F(BrokerTest, Issue37_WithoutListingsTheFirstSpellingIsTheInstancesOwn) {
  source_.listing = false;
  make();
  for (const char* id : {"cloud://a", "cloud://A", "cloud:///a"}) {
    const auto asked = ask("node", id);
    tick();
    source_.end_get({"node-1", id, CCM_INSTANCE_RUNNING, {"10.0.0.1"}});
    EXPECT_EQ(provider_id(asked), "cloud://a") << id;
  }
}

}  // namespace ccm::cloud

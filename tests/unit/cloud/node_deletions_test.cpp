// One Node at a time: in every fault the count of wrongly deleted Nodes is 0.
#include "node_deletions_fixture.hpp"

namespace ccm::cloud {
namespace {

TEST_F(NodeDeletionsTest, AnInstanceThatIsGoneLetsItsNodeGo) {
  cluster(3, 1);
  EXPECT_EQ(remove("n0"), "deleted");
  EXPECT_EQ(api_->removed, std::vector<std::string>{"n0 uid-n0 1"}) << "both preconditions";
  EXPECT_EQ(cloud_.listed, 1);
  EXPECT_EQ(cloud_.got, 2) << "the instance and the canary";
  EXPECT_NE(metrics().find(R"(decision="deleted",kind="nodes")"), std::string::npos);
}

TEST_F(NodeDeletionsTest, WhatItDeletedIsKnownForAWindow) {
  cluster(3, 1);
  EXPECT_FALSE(deletions_->deleted("n0"));
  EXPECT_EQ(remove("n0"), "deleted");
  EXPECT_TRUE(deletions_->deleted("n0"));
  EXPECT_FALSE(deletions_->deleted("n1"));
  cluster_.nodes["n0"] = {"another", "cloud://n0", "True", ""};
  EXPECT_FALSE(deletions_->deleted("n0")) << "there is one of that name again";
  cluster_.nodes.erase("n0");
  timers_.advance(11min);
  EXPECT_FALSE(deletions_->deleted("n0"));
}

TEST_F(NodeDeletionsTest, TheSecondLookBeginsAfterTheRequest) {
  cluster(3, 1);
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_RUNNING;
  tasks_(broker_->refresh(), [](const auto&) {});  // an observation that runs already
  const auto outcome = ask("n0");
  cloud_.machines.erase("cloud://n0");
  timers_.advance(100ms);
  EXPECT_TRUE(outcome->ok());
  EXPECT_EQ(cloud_.listed, 2);
}

TEST_F(NodeDeletionsTest, WhatIsListedOrFoundIsNotDeleted) {
  cluster(3, 1);
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_SHUTDOWN;
  EXPECT_EQ(remove("n0"), "InstanceExists");
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_UNKNOWN;
  EXPECT_EQ(remove("n0"), "InstanceExists");
  // Half a list lacks it, the look-up finds it.
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_RUNNING;
  cloud_.listing = cloud_.machines;
  cloud_.listing->erase("cloud://n0");
  EXPECT_EQ(remove("n0"), "InstanceExists");
  EXPECT_TRUE(api_->removed.empty());
}

// A region that does not answer: its instances are unknown, those of others are as they are listed.
TEST_F(NodeDeletionsTest, WhatAListingSaysNothingOfIsNotGone) {
  cluster(3, 1);
  cloud_.unknown = {"cloud://n0"};
  const auto outcome = ask("n0");
  timers_.advance(100ms);
  EXPECT_FALSE(outcome->ok());
  EXPECT_TRUE(api_->removed.empty());
  EXPECT_FALSE(deletions_->report().engaged) << "nothing vanished as far as is known";
  cloud_.unknown = {"cloud://other"};
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AnEmptyListingIsBlind) {
  cluster(3, 1);
  cloud_.listing = Cloud::Machines{};
  EXPECT_EQ(remove("n0"), "CloudViewBlind");
  EXPECT_TRUE(deletions_->report().blind);
  EXPECT_EQ(events_, std::vector<std::string>{"Warning DeletionHeld n0"});
  cloud_.listing.reset();
  timers_.advance(10s);
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, LookUpsThatFindNothingAtAllAreBlind) {
  cluster(3, 1);
  cloud_.get_failure = Status(Code::not_found, ErrorClass::not_found, "no rights, so not found");
  EXPECT_EQ(remove("n0"), "CloudViewBlind");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, ACloudThatDoesNotAnswerDeletesNothing) {
  cluster(3, 1);
  cloud_.list_failure = Status(Code::unavailable, ErrorClass::unavailable, "500");
  EXPECT_EQ(remove("n0"), "SecondLookFailed");
  cloud_.list_failure = {};
  cloud_.get_failure = Status(Code::unauthenticated, ErrorClass::auth, "401");
  EXPECT_EQ(remove("n0"), "SecondLookFailed");
  EXPECT_TRUE(api_->removed.empty());
  EXPECT_EQ(deletions_->report().deleted, 0u) << "given back";
}

TEST_F(NodeDeletionsTest, AReadyNodeIsNeverDeleted) {
  cluster(3, 1);
  cluster_.nodes["n0"].ready = "True";
  EXPECT_EQ(remove("n0"), "NodeIsReady");
  EXPECT_EQ(cloud_.listed, 0);
  cluster_.nodes["n0"].ready = "Unknown";
  api_->live["n0"] = cluster_.nodes["n0"];
  api_->live["n0"].ready = "True";  // the cache lags
  EXPECT_EQ(remove("n0"), "NodeIsReady");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, TRAP_28_ANodeReCreatedUnderItsNameIsLeftAlone) {
  cluster(3, 1);
  api_->live["n0"] = cluster_.nodes["n0"];
  api_->live["n0"].uid = "another";
  EXPECT_EQ(remove("n0"), "Conflict");
  api_->live["n0"] = cluster_.nodes["n0"];
  api_->live["n0"].provider_id = "cloud://another";
  EXPECT_EQ(remove("n0"), "Conflict");
  cluster_.nodes["n0"].uid = "another";
  EXPECT_EQ(remove("n0"), "Conflict") << "seen in the cache already";
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, AChangeBetweenReadAndDeleteIsReadAgain) {
  cluster(3, 1);
  api_->remove_failures = {Status(Code::aborted, ErrorClass::conflict, "409")};
  EXPECT_EQ(remove("n0"), "deleted");
  EXPECT_EQ(api_->gets, 2);
  cluster(3, 1);
  api_->remove_failures.assign(5, Status(Code::aborted, ErrorClass::conflict, "409"));
  const auto outcome = ask("n0");
  timers_.advance(100ms);
  EXPECT_EQ(outcome->error_class(), ErrorClass::conflict) << "not for ever";
}

TEST_F(NodeDeletionsTest, API_70_ADeletionWhoseAnswerIsLostIsAskedForAgain) {
  cluster(3, 1);
  api_->remove_failures = {Status(Code::unavailable, ErrorClass::unavailable, "reset")};
  const auto lost = ask("n0");
  timers_.advance(100ms);
  EXPECT_EQ(lost->error_class(), ErrorClass::unavailable);
  EXPECT_EQ(deletions_->report().deleted, 1u) << "it may have happened";
  EXPECT_EQ(remove("n0"), "deleted");
  EXPECT_EQ(deletions_->report().deleted, 1u);
  EXPECT_TRUE(events_.empty());
}

TEST_F(NodeDeletionsTest, ForeignNodesAreLeftAlone) {
  cluster(3, 1);
  cluster_.nodes["n0"].provider_id = "other://n0";
  EXPECT_EQ(remove("n0"), "ForeignProviderID");
  EXPECT_EQ(cloud_.listed, 0);
}

TEST_F(NodeDeletionsTest, ANodeThatNeverHadAnInstanceIsLeftAlone) {
  cluster(3, 1);
  cluster_.nodes["n0"].provider_id = "";
  EXPECT_EQ(remove("n0"), "NotOfThisCloud");
  EXPECT_TRUE(api_->removed.empty());
}

// capo#1547, kubeone#4172, occm#2062, linode-capi#141: its server has another name.
TEST_F(NodeDeletionsTest, ISSUE_38_5_ANodeWhoseInstanceWasNeverSeenIsNotDeleted) {
  cluster(3, 0);
  look();
  FakeNode& node = cluster_.nodes["n9"] = {"uid-n9", "", "Unknown", ""};
  node.taint = "node.cloudprovider.kubernetes.io/uninitialized";
  for (int round = 0; round < 3; ++round) {
    const auto outcome = ask("n9");
    timers_.advance(1min);
    EXPECT_EQ(outcome->reason(), "InstanceNeverSeen");
    EXPECT_EQ(outcome->error_class(), ErrorClass::waiting) << "pages name it";
    EXPECT_NE(outcome->message().find("no instance is called \"n9\""), std::string::npos);
  }
  EXPECT_EQ(cloud_.listed, 1) << "it costs no call";
  node.annotation = "true";
  EXPECT_EQ(remove("n9"), "deleted") << "an operator knows better";
}

TEST_F(NodeDeletionsTest, ISSUE_38_5_AnInstanceThatWasSeenByItsNameMayBeMissed) {
  cluster(3, 0);
  cluster_.nodes["n9"] = {"uid-n9", "", "Unknown", ""};
  cluster_.nodes["n9"].taint = "node.cloudprovider.kubernetes.io/uninitialized";
  cloud_.names["cloud://n9"] = "n9";
  cloud_.machines["cloud://n9"] = CCM_INSTANCE_RUNNING;
  look();
  cloud_.machines.erase("cloud://n9");
  EXPECT_EQ(remove("n9"), "deleted");
}

TEST_F(NodeDeletionsTest, WithoutTheLeaseNothingIsDeleted) {
  cluster(3, 1);
  const auto outcome = ask("n0");
  leading_ = false;
  timers_.advance(100ms);
  EXPECT_EQ(outcome->reason(), "NotLeading");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, WhoeverGaveUpDeletesNothingLater) {
  cluster(3, 1);
  const auto outcome = ask("n0", 1ms);
  timers_.skip(2ms);
  timers_.advance(100ms);
  EXPECT_EQ(outcome->code(), Code::deadline_exceeded);
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, OneLookServesAllThatAskTogether) {
  cluster(40, 10);
  EXPECT_EQ(remove_all(10), 10u);
  EXPECT_EQ(cloud_.listed, 1);
  EXPECT_EQ(cloud_.got, 11);
}

TEST_F(NodeDeletionsTest, AProviderThatOnlyListsIsLookedAtByListing) {
  cloud_.gets = false;
  start();
  cluster(3, 1);
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AProviderThatOnlyGetsNeedsACanaryToo) {
  cloud_.lists = false;
  start();
  cluster(10, 1);
  cloud_.get_failure = Status(Code::not_found, ErrorClass::not_found, "no rights");
  EXPECT_EQ(remove("n0"), "CloudViewBlind");
  cloud_.get_failure = {};
  timers_.advance(11s);
  EXPECT_EQ(remove("n0"), "deleted");
}

// The gate ends while deletions wait for a listing, a look-up, a reading or the DELETE.
TEST_F(NodeDeletionsTest, Issue39_2_WhatWaitsEndsWithTheGate) {
  std::function<void(int)> end_after = [&](int steps) {
    timers_.after(0ms, [&, steps] { steps == 0 ? deletions_.reset() : end_after(steps - 1); });
  };
  int answered = 0;
  for (int steps = 0; steps < 10; ++steps) {
    start();
    cluster(40, 2);
    const auto outcome = ask("n0");
    const auto refused = ask_as("n1", "another");
    end_after(steps);
    timers_.advance(1s);
    EXPECT_FALSE(deletions_.has_value());
    if (outcome->message() != "still waits") ++answered;
    tasks_(broker_->refresh(), [](const auto&) {});  // the broker lives longer, and tells nobody
    timers_.advance(1min);
  }
  EXPECT_GT(answered, 0);
  EXPECT_LT(answered, 7) << "it ended in the middle";
}

TEST_F(NodeDeletionsTest, OtherResourcesPass) {
  std::optional<Status> outcome;
  guarded()->send({.verb = plugin::ObjectRequest::Verb::remove,
                   .resource = kube::resources::services(),
                   .namespace_name = "default",
                   .name = "web"},
                  [&](const Result<std::string>& ended) { outcome = ended.status(); });
  timers_.advance(0ms);
  EXPECT_TRUE(outcome && outcome->ok());
  EXPECT_EQ(cloud_.listed, 0);
}

TEST_F(NodeDeletionsTest, WithoutACloudNoNodeIsDeleted) {
  deletions_.emplace(
      NodeDeletions::Dependencies{cluster_, timers_, [] { return true; }, telemetry_},
      BrakeOptions{});
  cluster(3, 1);
  const auto outcome = ask("n0");
  timers_.advance(0ms);
  EXPECT_EQ(outcome->error_class(), ErrorClass::unsupported);
}

}  // namespace
}  // namespace ccm::cloud

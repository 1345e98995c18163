// Nodes that somebody registers with an invented provider ID, or with another Node's: what they can
// do to the deletion of Nodes whose instances are really gone.
#include "node_deletions_fixture.hpp"

namespace ccm::cloud {
namespace {

class StrangersTest : public NodeDeletionsTest {
 protected:
  // A cluster that this manager knows.
  void known_cluster(int count) {
    cluster(count, 0);
    look();
  }
  void register_node(const std::string& name, const std::string& provider_id,
                     const std::string& ready = "Unknown") {
    FakeNode& node = cluster_.nodes[name] = {"uid-" + name, provider_id, ready, ""};
    node.created = "2026-06-01T00:00:00Z";
  }
  // Its deletion is asked for until it has an answer.
  std::string remove_patiently(const std::string& name, const std::string& uid) {
    const auto outcome = ask_as(name, uid);
    timers_.advance(11s);
    return outcome->ok() ? "deleted" : outcome->reason();
  }
};

TEST_F(StrangersTest, ISSUE_37_8_OneKubeletThatRegistersAgainAndAgainHoldsNobody) {
  known_cluster(10);
  for (int round = 0; round < 3; ++round) {
    register_node("x", "cloud://invented");
    cluster_.nodes["x"].uid += std::to_string(round);
    EXPECT_EQ(remove_patiently("x", cluster_.nodes["x"].uid), "deleted") << round;
  }
  vanish(0, 2);
  EXPECT_EQ(remove_all(2), 2u);
  EXPECT_TRUE(events_.empty());
}

TEST_F(StrangersTest, ISSUE_37_8_ANameCountsOnceInAWindow) {
  known_cluster(10);
  for (int round = 0; round < 3; ++round) {
    // A real instance each time: the name of a spot instance, for example.
    const std::string id = "cloud://spot-" + std::to_string(round);
    register_node("x", id);
    cluster_.nodes["x"].uid += std::to_string(round);
    cloud_.machines[id] = CCM_INSTANCE_RUNNING;
    look();
    cloud_.machines.erase(id);
    EXPECT_EQ(remove_patiently("x", cluster_.nodes["x"].uid), "deleted") << round;
  }
  EXPECT_EQ(deletions_->report().deleted, 1u);
  vanish(0, 1);
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(StrangersTest, ISSUE_37_8_AReadyStrangerDoesNotBlindTheView) {
  known_cluster(3);
  register_node("x", "cloud://invented", "True");
  vanish(0, 1);
  for (const char* name : {"n1", "n2"}) cluster_.nodes[name].ready = "Unknown";
  EXPECT_EQ(remove("n0"), "deleted") << "the instances of n1 and n2 vouch for the listing";
}

TEST_F(StrangersTest, ISSUE_37_8_AReadyStrangerDoesNotContradictAScaleDown) {
  known_cluster(6);
  register_node("x", "cloud://invented", "True");
  for (const char* name : {"n0", "n1", "n2"}) cluster_.nodes[name].cordoned = true;
  vanish(0, 3);
  EXPECT_EQ(remove_all(3), 3u);
}

TEST_F(StrangersTest, ISSUE_37_8_ANodeThatClaimsAnothersInstanceIsNoFurtherAbsence) {
  known_cluster(10);
  register_node("x", "cloud://n0");
  look();
  vanish(0, 2);
  EXPECT_EQ(remove_all(2), 2u);
  EXPECT_EQ(remove_patiently("x", "uid-x"), "deleted");
  // Nor a sign of life of the instance that it claims.
  start();
  known_cluster(6);
  register_node("x", "cloud://n0", "True");
  look();
  for (const char* name : {"n0", "n1", "n2"}) cluster_.nodes[name].cordoned = true;
  vanish(0, 3);
  EXPECT_EQ(remove_all(3), 3u);
}

TEST_F(StrangersTest, Issue37_WhatWasTerminatedBeforeTheNodeCameIsNoFurtherAbsence) {
  known_cluster(10);
  for (int i = 0; i < 4; ++i) {
    const std::string name = "x" + std::to_string(i);
    register_node(name, "cloud://old-" + name);
    cloud_.machines["cloud://old-" + name] = CCM_INSTANCE_TERMINATED;
  }
  look();
  vanish(0, 2);
  EXPECT_EQ(remove_all(2), 2u);
}

TEST_F(StrangersTest, Issue37_NorUnderAnotherSpellingOfItsId) {
  for (const bool by_listing : {true, false}) {
    cloud_.machines.clear();
    cluster_.nodes.clear();
    start();
    cloud_.other_ids = {{"cloud://n0", "cloud:///n0"}};
    known_cluster(10);
    register_node("x", "cloud:///n0");
    if (by_listing) {
      look();
    } else {
      tasks_(broker_->confirm(facts_of(cluster_.get("", "", "n0")).query()), [](const auto&) {});
      tasks_(broker_->confirm(facts_of(cluster_.get("", "", "x")).query()), [](const auto&) {});
      timers_.advance(1s);
    }
    vanish(0, 2);
    EXPECT_EQ(remove_all(2), 2u);
    EXPECT_EQ(remove_patiently("x", "uid-x"), "deleted");
    EXPECT_EQ(deletions_->report().deleted, 2u);
  }
}

TEST_F(StrangersTest, ISSUE_37_8_ManyStrangersDoNotLoosenTheLimit) {
  known_cluster(10);
  for (int i = 0; i < 40; ++i) {
    const std::string name = "x" + std::to_string(i);
    register_node(name, "cloud://" + name, "True");
  }
  vanish(0, 6);
  EXPECT_EQ(remove_all(6), 0u) << "6 of 10, whatever there is besides";
  EXPECT_EQ(deletions_->report().known, 10u);
}

// Real Nodes may be among them, if another program initialises Nodes and no listing was needed yet.
TEST_F(StrangersTest, StrangersHaveALimitOfTheirOwn) {
  known_cluster(10);
  for (int i = 0; i < 30; ++i) {
    const std::string name = "x" + std::to_string(i);
    register_node(name, "cloud://" + name);
  }
  timers_.advance(11s);
  EXPECT_EQ(remove_all(30, "x"), 0u);
  EXPECT_EQ(deletions_->summary(),
            "engaged, 30 held: 0 of 10 nodes are missing in the cloud, 0 were deleted within "
            "10m, 2 may be; 30 of 40 nodes were never seen in the cloud, 0 were deleted within "
            "10m, 10 may be");
  vanish(0, 1);
  timers_.advance(11s);
  EXPECT_EQ(remove("n0"), "deleted") << "they hold nobody else";
}

TEST_F(StrangersTest, AListingThatLacksTooMuchIsNotBelievedAboutStrangersEither) {
  known_cluster(10);
  register_node("x", "cloud://x");
  vanish(0, 6);
  const auto stranger = ask("x");
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_EQ(stranger->reason(), "DeletionHeld");
}

TEST_F(StrangersTest, WhatALookUpFoundWasSeen) {
  known_cluster(10);
  for (int i = 0; i < 3; ++i) {
    const std::string name = "x" + std::to_string(i);
    register_node(name, "cloud://" + name, "True");
    cloud_.machines["cloud://" + name] = CCM_INSTANCE_RUNNING;
    tasks_(broker_->confirm(facts_of(cluster_.get("", "", name)).query()), [](const auto&) {});
    timers_.advance(1s);
    cloud_.machines.erase("cloud://" + name);
    cluster_.nodes[name].ready = "Unknown";
  }
  EXPECT_EQ(remove_all(3, "x"), 3u) << "3 of 13";
  EXPECT_EQ(deletions_->report().deleted, 3u);
}

TEST_F(StrangersTest, ALookUpOfANodeThatWasSeenDoesNotReadAllNodes) {
  known_cluster(10);
  register_node("x", "cloud://x", "True");
  cloud_.machines["cloud://x"] = CCM_INSTANCE_RUNNING;
  const auto look_up = [&] {
    const int before = cluster_.lists;
    tasks_(broker_->confirm(facts_of(cluster_.get("", "", "x")).query()), [](const auto&) {});
    timers_.advance(1s);
    return cluster_.lists - before;
  };
  EXPECT_EQ(look_up(), 1) << "another Node may have the instance";
  EXPECT_EQ(look_up(), 0);
}

// The kubelet chooses the name, the API server the UID.
TEST_F(StrangersTest, OfTwoNodesOfOneSecondTheSmallerUidHasTheInstance) {
  known_cluster(10);
  register_node("a", "cloud://m");
  cluster_.nodes["a"].uid = "uid-z";
  register_node("m", "cloud://m", "True");
  cloud_.machines["cloud://m"] = CCM_INSTANCE_RUNNING;
  look();
  cloud_.machines.erase("cloud://m");
  cluster_.nodes["m"].ready = "Unknown";
  EXPECT_EQ(remove_patiently("m", "uid-m"), "deleted");
  EXPECT_EQ(deletions_->report().deleted, 1u) << "its instance was seen";
}

// A process that has just begun knows nobody: all count, or a restart would disarm the brake.
TEST_F(StrangersTest, AfterARestartEveryNodeCounts) {
  cluster(10, 6);
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_EQ(deletions_->report().absent, 6u);
}

TEST_F(StrangersTest, StrangersThatRegisterAgainCostAtMostACallInTenSeconds) {
  known_cluster(10);
  for (int round = 0; round < 60; ++round) {
    register_node("x", "cloud://invented");
    cluster_.nodes["x"].uid += std::to_string(round);
    (void)ask_as("x", cluster_.nodes["x"].uid);
    timers_.advance(1s);
  }
  EXPECT_LE(cloud_.listed, 1 + 7);
}

}  // namespace
}  // namespace ccm::cloud

// Many Nodes at a time: the brake, what it holds, and what releases it.
#include "node_deletions_fixture.hpp"

namespace ccm::cloud {
namespace {

TEST_F(NodeDeletionsTest, SixtyPercentAtOnceAreAllHeld) {
  cluster(10, 6);
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_TRUE(api_->removed.empty());
  EXPECT_EQ(cloud_.got, 0) << "no look-ups for what is held anyway";
  EXPECT_EQ(api_->gets, 0);
  EXPECT_TRUE(deletions_->report().engaged);
  EXPECT_EQ(events_.size(), 6u);
  EXPECT_NE(metrics().find("ccm_deletion_brake_held{kind=\"nodes\"} 6"), std::string::npos);
  EXPECT_EQ(deletions_->status_text(),
            "engaged, 6 held (n0, n1, n2, n3, n4 and 1 more): 6 of 10 nodes are missing in the "
            "cloud, 0 were deleted within 10m, 2 may be; to let one go: kubectl annotate node "
            "NAME cloud-controller-manager/allow-deletion=true");
  for (int second = 0; second < 9; ++second) {
    remove_all(6);
    timers_.advance(900ms);
  }
  EXPECT_EQ(cloud_.listed, 1) << "asking again costs nothing for a while";
  timers_.advance(2s);
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_EQ(cloud_.listed, 2);
}

TEST_F(NodeDeletionsTest, EventsAreNotOneForEachOfThousands) {
  cluster(100, 60);
  EXPECT_EQ(remove_all(60), 0u);
  EXPECT_EQ(events_.size(), 10u);
}

// Instances that are taken away are announced first: by autoscalers with a taint, by people with
// kubectl drain.
TEST_F(NodeDeletionsTest, AnAnnouncedScaleDownOfASmallClusterPasses) {
  const char* taints[] = {"ToBeDeletedByClusterAutoscaler", "karpenter.sh/disrupted", ""};
  for (const int count : {4, 6, 11}) {
    start();
    cluster(count, 3);
    for (int i = 0; i < 3; ++i) {
      FakeNode& node = cluster_.nodes["n" + std::to_string(i)];
      node.taint = taints[i];
      node.cordoned = node.taint.empty();
    }
    EXPECT_EQ(remove_all(3), 3u) << count;
    EXPECT_EQ(deletions_->report().deleted, 0u) << "the limit is left for what is not announced";
    cluster_.nodes.clear();
    cloud_.machines.clear();
  }
  EXPECT_TRUE(events_.empty());
  EXPECT_NE(metrics().find(R"(decision="announced",kind="nodes"} 9)"), std::string::npos);
}

TEST_F(NodeDeletionsTest, AllOfThreeGoWhenAnotherInstanceVouchesForTheListing) {
  cluster(3, 0);
  cloud_.machines["cloud://database"] = CCM_INSTANCE_RUNNING;
  tasks_(broker_->refresh(), [](const auto&) {});
  timers_.advance(20s);
  for (auto& [name, node] : cluster_.nodes) {
    node.cordoned = true;
    node.ready = "Unknown";
    cloud_.machines.erase("cloud://" + name);
  }
  EXPECT_EQ(remove_all(3), 3u);
}

TEST_F(NodeDeletionsTest, ThreeOfSixThatNobodyAnnouncedAreHeld) {
  cluster(6, 3);
  EXPECT_EQ(remove_all(3), 0u);
  // A tool that drains broken nodes automatically must not release them.
  for (auto& [name, node] : cluster_.nodes) node.cordoned = true;
  timers_.advance(1min);
  EXPECT_EQ(remove_all(3), 0u);
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, HalfAListHoldsDrainedNodesToo) {
  cluster(6, 0);
  for (const char* name : {"n0", "n1"}) {
    cluster_.nodes[name].cordoned = true;  // for a reboot
    cluster_.nodes[name].ready = "Unknown";
  }
  cloud_.listing = Cloud::Machines{{"cloud://n5", CCM_INSTANCE_RUNNING}};
  EXPECT_EQ(remove_all(2), 0u);
  EXPECT_TRUE(deletions_->report().engaged);
  cloud_.listing.reset();
  timers_.advance(11s);
  EXPECT_EQ(remove("n0"), "InstanceExists");
}

// Wrong about one instance, it is not believed about those that somebody drained for a reboot.
TEST_F(NodeDeletionsTest, AListingThatLacksAReadyNodeDeletesNoDrainedOnes) {
  cluster(6, 2);
  for (const char* name : {"n0", "n1"}) cluster_.nodes[name].cordoned = true;
  cluster_.nodes["n2"].ready = "True";
  cloud_.machines.erase("cloud://n2");
  EXPECT_EQ(remove_all(2), 0u);
  EXPECT_NE(deletions_->status_text().find("(2 cordoned or tainted before, counted since a Ready "
                                           "one is missing, too)"),
            std::string::npos);
  cluster_.nodes["n2"].ready = "Unknown";
  timers_.advance(11s);
  EXPECT_EQ(remove_all(2), 2u);
}

TEST_F(NodeDeletionsTest, WhatIsHeldIsToldWhereverOneLooks) {
  start(false);
  EXPECT_EQ(deletions_->status_text(), "released: no deletion of nodes was asked for yet");
  cluster(40, 3);
  EXPECT_EQ(remove_all(3), 0u);
  EXPECT_TRUE(deletions_->report().engaged);
  EXPECT_EQ(deletions_->report().held, 3u);
  EXPECT_EQ(deletions_->status_text(),
            "engaged, 3 held (n0, n1, n2): 3 of 40 nodes are missing in the cloud, 0 were deleted "
            "within 10m, 2 may be until this manager has led for 10m; to let one go: kubectl "
            "annotate node NAME cloud-controller-manager/allow-deletion=true");
  EXPECT_NE(metrics().find("ccm_deletion_brake_engaged{kind=\"nodes\"} 1"), std::string::npos);
  EXPECT_NE(metrics().find("ccm_deletion_brake_held{kind=\"nodes\"} 3"), std::string::npos);
  EXPECT_EQ(events_.size(), 3u);
}

TEST_F(NodeDeletionsTest, TheBrakeLetsGoWhenTheInstancesAreBack) {
  cluster(10, 6);
  remove_all(6);
  for (int i = 0; i < 6; ++i) {
    cluster_.nodes["n" + std::to_string(i)].ready = "True";
    cloud_.machines["cloud://n" + std::to_string(i)] = CCM_INSTANCE_RUNNING;
  }
  timers_.advance(1min);
  tasks_(broker_->refresh(),
         [](const auto&) {});  // anybody's listing: no deletion is asked for any more
  timers_.advance(1s);
  EXPECT_FALSE(deletions_->report().engaged);
  EXPECT_EQ(deletions_->status_text(),
            "released: 0 of 10 nodes are missing in the cloud, 0 were deleted within 10m, 2 may "
            "be");
  EXPECT_NE(metrics().find("ccm_deletion_brake_engaged{kind=\"nodes\"} 0"), std::string::npos);
}

// Nodes that are still Ready count too: they say that the listing lacks too much.
TEST_F(NodeDeletionsTest, HalfAListHoldsTheOneNodeThatIsDead) {
  cluster(10, 1);
  cloud_.listing =
      Cloud::Machines{{"cloud://n8", CCM_INSTANCE_RUNNING}, {"cloud://n9", CCM_INSTANCE_RUNNING}};
  EXPECT_EQ(remove("n0"), "DeletionHeld");
  EXPECT_TRUE(api_->removed.empty());
}

TEST_F(NodeDeletionsTest, HeldNodesGoAfterTheHoldAtTheLimitsPace) {
  cluster(10, 6);
  EXPECT_EQ(remove_all(6), 0u);
  timers_.advance(31min);
  EXPECT_EQ(remove_all(6), 2u);
  EXPECT_EQ(remove_all(6), 0u);
}

TEST_F(NodeDeletionsTest, AnAnnotationReleasesOneNodeAtOnce) {
  cluster(10, 6);
  remove_all(6);
  cluster_.nodes["n2"].annotation = "true";
  EXPECT_EQ(remove("n2"), "deleted");
  EXPECT_EQ(remove("n3"), "DeletionHeld");
  // Not what is there, whatever the annotation says.
  cluster_.nodes["n4"].annotation = "true";
  cloud_.machines["cloud://n4"] = CCM_INSTANCE_RUNNING;
  EXPECT_EQ(remove("n4"), "InstanceExists");
  EXPECT_EQ(api_->removed.size(), 1u);
}

// A cloud that says so of all instances made a cluster without Nodes.
TEST_F(NodeDeletionsTest, Issue37_TerminatedCountsLikeMissing) {
  cluster(20, 0);
  look();
  terminate(0, 18);
  EXPECT_EQ(remove_all(18), 0u);
  EXPECT_EQ(remove("n0"), "DeletionHeld");
  EXPECT_TRUE(deletions_->report().engaged);
  EXPECT_EQ(deletions_->summary(),
            "engaged, 18 held: 18 of 20 nodes are missing in the cloud, 18 of them terminated by "
            "its own word, 0 were deleted within 10m, 5 may be");
  EXPECT_EQ(events_.front(), "Warning DeletionHeld n0");
  cluster_.nodes["n3"].annotation = "true";
  EXPECT_EQ(remove("n3"), "deleted");
  // What is missing beside them waits, too.
  cluster_.nodes["n18"].ready = "False";
  cloud_.machines.erase("cloud://n18");
  EXPECT_EQ(remove("n18"), "DeletionHeld");
}

TEST_F(NodeDeletionsTest, Issue37_ReadyNodesThatAreCalledTerminatedCount) {
  cluster(10, 0);
  look();
  terminate(0, 10);
  for (int i = 1; i < 10; ++i) cluster_.nodes["n" + std::to_string(i)].ready = "True";
  EXPECT_EQ(remove("n0"), "DeletionHeld") << "its kubelet is only being restarted";
}

TEST_F(NodeDeletionsTest, UpToTheLimitTerminatedGoesAtOnce) {
  cluster(20, 0);
  look();
  terminate(0, 5);
  EXPECT_EQ(remove_all(5), 5u);
  EXPECT_EQ(deletions_->report().deleted, 5u);
  terminate(5, 6);
  EXPECT_EQ(remove("n5"), "DeletionHeld") << "a sixth within the window";
  timers_.advance(11min);
  EXPECT_EQ(remove("n5"), "DeletionHeld") << "as any other that was held";
  timers_.advance(20min);
  EXPECT_EQ(remove("n5"), "deleted");
}

TEST_F(NodeDeletionsTest, AnAnnouncedEndIsNotCountedWhenTheCloudSaysTerminated) {
  cluster(6, 0);
  look();
  for (const char* name : {"n0", "n1", "n2", "n3"}) cluster_.nodes[name].cordoned = true;
  terminate(0, 4);
  EXPECT_EQ(remove_all(4), 4u);
}

// No other instance vouches for the answer, and none has to.
TEST_F(NodeDeletionsTest, TheLastNodeGoesWhenItsInstanceIsTerminated) {
  cluster(1, 0);
  look();
  terminate(0, 1);
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AnIncompleteListingStillTellsWhatIsTerminated) {
  cluster(10, 0);
  look();
  cloud_.unknown = {""};
  terminate(0, 2);
  cloud_.machines.erase("cloud://n5");
  cluster_.nodes["n5"].ready = "Unknown";
  EXPECT_EQ(remove_all(2), 2u);
  EXPECT_EQ(remove("n5"), "IncompleteListing");
  terminate(2, 9);
  EXPECT_EQ(remove("n2"), "DeletionHeld");
}

TEST_F(NodeDeletionsTest, Issue37_WithoutAListingTerminatedCountsAsWell) {
  cloud_.lists = false;
  start();
  cluster(10, 0);
  terminate(0, 6);
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_EQ(remove("n0"), "DeletionHeld");
}

TEST_F(NodeDeletionsTest, AOneNodeClusterNeedsAWitness) {
  cluster(1, 1);
  cloud_.machines["cloud://database"] = CCM_INSTANCE_RUNNING;
  EXPECT_EQ(remove("n0"), "CloudViewBlind") << "this process never saw them side by side";
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_RUNNING;
  tasks_(broker_->refresh(), [](const auto&) {});
  timers_.advance(20s);
  cloud_.machines.erase("cloud://n0");
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AOneNodeClusterWithoutAnyOtherInstanceIsHeld) {
  cluster(1, 1);
  cloud_.machines["cloud://n0"] = CCM_INSTANCE_RUNNING;
  tasks_(broker_->refresh(), [](const auto&) {});
  timers_.advance(1s);
  cloud_.machines.clear();
  EXPECT_EQ(remove("n0"), "CloudViewBlind");
  cluster_.nodes["n0"].annotation = "true";
  EXPECT_EQ(remove("n0"), "deleted");
}

TEST_F(NodeDeletionsTest, AManagerThatJustStartedLetsTwoGo) {
  start(false);
  cluster(40, 3);
  EXPECT_EQ(remove_all(3), 0u);
  timers_.advance(11min);
  EXPECT_EQ(remove_all(3), 3u);
}

TEST_F(NodeDeletionsTest, AProviderThatOnlyGetsIsHeldWhenManyAreGone) {
  cloud_.lists = false;
  start();
  cluster(10, 6);
  EXPECT_EQ(remove_all(6), 0u);
  EXPECT_TRUE(deletions_->report().engaged);
}

}  // namespace
}  // namespace ccm::cloud

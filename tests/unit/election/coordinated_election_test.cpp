// An election in which the API server's coordinator names the holder of the Lease (KEP-4355).
#include "elector_fixture.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ccm::election {
namespace {

constexpr milliseconds kNeverPolls = std::chrono::hours(1);

class CoordinatedElectionTest : public ::testing::Test {
 protected:
  static LeaseRecord named(const std::string& holder) {
    LeaseRecord record;
    record.holder_identity = holder;
    record.lease_duration = seconds(5);
    record.renew_time = "2026-01-01T00:00:00.000000Z";
    return record;
  }
  [[nodiscard]] bool has_candidate() {
    return eventually([this] { return candidate.stored().has_value(); });
  }

  FakeLease lease;
  FakeLeaseCandidate candidate;
  ManualClock clock;
};

TEST_F(CoordinatedElectionTest, HOST_151_TheCandidateSaysWhoAndWhichVersionItIs) {
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(has_candidate());
  const auto object = nlohmann::json::parse(candidate.stored()->document);
  EXPECT_EQ(object["apiVersion"], "coordination.k8s.io/v1beta1");
  EXPECT_EQ(object["metadata"]["name"], "a");
  EXPECT_EQ(object["spec"]["leaseName"], "cloud-controller-manager");
  EXPECT_EQ(object["spec"]["binaryVersion"], "1.2.3");
  EXPECT_EQ(object["spec"]["emulationVersion"], "1.2.3");
  EXPECT_EQ(object["spec"]["strategy"], "OldestEmulationVersion");
  EXPECT_EQ(object["spec"]["renewTime"].get<std::string>().size(), 27u);
}

TEST_F(CoordinatedElectionTest, HOST_154_ALeaseThatIsMissingOrFreeIsNotTaken) {
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(eventually([&] { return lease.reads() > 10; }));
  EXPECT_FALSE(lease.exists());
  lease.set(named(""));
  const int reads = lease.reads();
  ASSERT_TRUE(eventually([&] { return lease.reads() > reads + 10; }));
  EXPECT_EQ(lease.updates(), 0);
  clock.advance(seconds(60));
  const int later = lease.reads();
  ASSERT_TRUE(eventually([&] { return lease.reads() > later + 10; }));
  EXPECT_EQ(lease.updates(), 0) << "an expired one neither";
  EXPECT_FALSE(elector.started());
}

TEST_F(CoordinatedElectionTest, HOST_154_TheHolderThatWasNamedTakesItWhenTheWatchTells) {
  lease.set(named("other"));
  Elector elector(lease, clock, "a", kNeverPolls, &candidate);
  ASSERT_TRUE(eventually([&] { return lease.watches() > 0; }));
  LeaseRecord record = named("a");
  record.lease_transitions = 4;
  lease.set(record);
  ASSERT_TRUE(elector.await_leading());
  EXPECT_EQ(elector.transitions(), 5) << "the coordinator counts none";
  EXPECT_EQ(lease.record().lease_duration, seconds(15));
  EXPECT_FALSE(lease.record().acquire_time.empty());
  EXPECT_EQ(lease.reads(), 1);
}

TEST_F(CoordinatedElectionTest, ALeaseThatIsDeletedWhileItIsWatchedIsWaitedFor) {
  lease.set(named("other"));
  Elector elector(lease, clock, "a", milliseconds(20), &candidate);
  ASSERT_TRUE(eventually([&] { return lease.watches() > 0; }));
  lease.remove();
  const int reads = lease.reads();
  ASSERT_TRUE(eventually([&] { return lease.reads() > reads + 1; }));
  EXPECT_FALSE(lease.exists());
  lease.set(named("a"));
  EXPECT_TRUE(elector.await_leading());
}

TEST_F(CoordinatedElectionTest, HOST_155_ALeaderKeepsTheLeaseUntilItsWorkHasEnded) {
  lease.set(named("a"));
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(elector.await_leading());
  lease.prefer("older");
  ASSERT_TRUE(elector.await_outvoted());
  EXPECT_EQ(elector.successor(), "older");
  const int updates = lease.updates();
  ASSERT_TRUE(eventually([&] { return lease.updates() > updates + 5; })) << "it goes on renewing";
  EXPECT_TRUE(elector->leading());
  EXPECT_EQ(elector.times_outvoted(), 1);
  elector.release();
  EXPECT_EQ(lease.record().holder_identity, "");
  EXPECT_FALSE(candidate.stored()) << "the coordinator does not wait for its answer";
}

TEST_F(CoordinatedElectionTest, HOST_154_ALeaseForWhichAnotherIsPreferredIsNotTaken) {
  lease.set(named("a"));
  lease.prefer("older");
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(eventually([&] { return lease.reads() > 10; }));
  EXPECT_FALSE(elector.started());
  EXPECT_EQ(lease.updates(), 0);
}

TEST_F(CoordinatedElectionTest, HOST_153_QuestionsAreAnsweredWithATimeThatIsNotBeforeThem) {
  Elector elector(lease, clock, "a", kNeverPolls, &candidate);
  ASSERT_TRUE(has_candidate());
  const std::string future = "2199-01-01T00:00:00.000000Z";  // another clock than this one
  candidate.ping(future);
  ASSERT_TRUE(eventually([&] { return candidate.stored()->renew_time == future; }));
  const int writes = candidate.writes();
  candidate.ping("2199-01-01T00:00:01.000000Z");
  ASSERT_TRUE(eventually([&] { return candidate.writes() > writes; }));
  EXPECT_EQ(candidate.writes(), writes + 1) << "once for each question";
}

TEST_F(CoordinatedElectionTest, HOST_153_WithoutAWatchQuestionsAreLookedFor) {
  candidate.watch_refused = true;
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(has_candidate());
  const std::string future = "2199-01-01T00:00:00.000000Z";
  candidate.ping(future);
  EXPECT_TRUE(eventually([&] { return candidate.stored()->renew_time == future; }));
}

TEST_F(CoordinatedElectionTest, AHostThatHangsDoesNotAnswer) {
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(has_candidate());
  elector.heartbeat_age = seconds(60);
  const int asked = elector.heartbeats_asked;
  const int writes = candidate.writes();
  candidate.ping("2199-01-01T00:00:00.000000Z");
  ASSERT_TRUE(eventually([&] { return elector.heartbeats_asked > asked + 10; }));
  EXPECT_EQ(candidate.writes(), writes);
  elector.heartbeat_age = seconds(0);
  EXPECT_TRUE(eventually([&] { return candidate.writes() > writes; }));
}

TEST_F(CoordinatedElectionTest, ACandidateThatSomebodyRemovedIsMadeAgain) {
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(has_candidate());
  candidate.remove();
  EXPECT_TRUE(has_candidate());
}

TEST_F(CoordinatedElectionTest, HOST_150_WithoutLeaseCandidatesTheElectionIsAPlainOne) {
  candidate.served = false;
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(elector.await_leading());
  EXPECT_EQ(elector.transitions(), 0);
  elector.release();
  EXPECT_EQ(candidate.removals(), 0);
  EXPECT_EQ(lease.record().holder_identity, "");
}

TEST_F(CoordinatedElectionTest, WithoutTheRightToMakeACandidateNothingLeads) {
  candidate.refuse(Status(Code::permission_denied, ErrorClass::auth, "forbidden"));
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  std::this_thread::sleep_for(milliseconds(50));  // 25 tries
  EXPECT_FALSE(elector.started());
  EXPECT_FALSE(lease.exists());
  candidate.refuse(Status());
  ASSERT_TRUE(has_candidate()) << "the right was granted";
  lease.set(named("a"));
  EXPECT_TRUE(elector.await_leading());
}

TEST_F(CoordinatedElectionTest, AStandbyThatEndsLeavesNoCandidate) {
  lease.set(named("other"));
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(has_candidate());
  elector.release();
  EXPECT_FALSE(candidate.stored());
  EXPECT_EQ(lease.record().holder_identity, "other");
}

TEST_F(CoordinatedElectionTest, ALeaseThatTheCoordinatorGaveToAnotherIsLost) {
  lease.set(named("a"));
  Elector elector(lease, clock, "a", milliseconds(2), &candidate);
  ASSERT_TRUE(elector.await_leading());
  lease.set(named("b"));
  ASSERT_TRUE(elector.await_lost());
  EXPECT_NE(elector.why_lost().find("it was taken by b"), std::string::npos) << elector.why_lost();
}

}  // namespace
}  // namespace ccm::election

#include "election/leader_elector.hpp"

#include "elector_fixture.hpp"

#include <gtest/gtest.h>

namespace ccm::election {
namespace {

class LeaderElectorTest : public ::testing::Test {
 protected:
  FakeLease lease;
  ManualClock clock;
};

TEST_F(LeaderElectorTest, HOST_112b_CreatesTheLeaseAndLeads) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  EXPECT_TRUE(elector->leading());
  EXPECT_EQ(lease.record().holder_identity, "a");
  EXPECT_EQ(elector.transitions(), 0);
  EXPECT_TRUE(elector.await_holder("a"));
}

TEST_F(LeaderElectorTest, HOST_112d_StandsByWhileAnotherRenews) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_holder("other"));
  EXPECT_FALSE(elector->leading());
  EXPECT_FALSE(elector.started());
  EXPECT_EQ(lease.updates(), 0) << "a standby writes nothing";
}

TEST_F(LeaderElectorTest, TRAP_2_TakesOverWhenTheRecordStandsStillWhateverTheClocksSay) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_holder("other"));
  clock.step_wall(std::chrono::hours(5));  // a stepped wall clock makes nobody a leader
  EXPECT_FALSE(elector.started());
  clock.advance(seconds(15));
  ASSERT_TRUE(elector.await_leading());
  EXPECT_EQ(elector.transitions(), 8);
}

TEST_F(LeaderElectorTest, API_63_LosingTheRaceToCreateMeansStandingBy) {
  lease.fault = [this](const std::string& verb) {
    if (verb == "create" && !lease.exists()) lease.set(held_by("other"));
    return Status();
  };
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_holder("other"));
  EXPECT_FALSE(elector->leading());
}

TEST_F(LeaderElectorTest, API_62_AConflictOnTakeOverIsNoLeadership) {
  lease.set(held_by(""));
  lease.fault = [this](const std::string& verb) {
    if (verb == "update" && lease.record().holder_identity.empty()) lease.set(held_by("quicker"));
    return Status();
  };
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_holder("quicker"));
  EXPECT_FALSE(elector.started());
}

TEST_F(LeaderElectorTest, HOST_112a_RenewsWithoutReading) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  const uint64_t reads = elector->slow_paths();
  const int before = lease.updates();
  ASSERT_TRUE(eventually([&] { return lease.updates() > before + 3; }));
  EXPECT_EQ(elector->slow_paths(), reads);
}

TEST_F(LeaderElectorTest, HOST_114_IsLostWhenRenewingFailsUntilTheDeadline) {
  std::atomic<bool> away = false;
  std::atomic<int> refused = 0;
  lease.fault = [&](const std::string&) {
    if (!away) return Status();
    ++refused;
    return Status(Code::unavailable, "connection refused");
  };
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  away = true;
  ASSERT_TRUE(eventually([&] { return refused > 4; }));
  EXPECT_TRUE(elector->leading()) << "a failure before the deadline costs nothing";
  clock.advance(seconds(10));
  EXPECT_FALSE(elector->leading()) << "fenced at once, whatever the election's thread does";
  ASSERT_TRUE(elector.await_lost());
  EXPECT_NE(elector.why_lost().find("connection refused"), std::string::npos);
}

TEST_F(LeaderElectorTest, IsLostWhenAnotherTookIt) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  lease.set(held_by("other"));
  ASSERT_TRUE(elector.await_lost());
  EXPECT_EQ(elector.why_lost(), "it was taken by other");
  EXPECT_FALSE(elector->leading());
  EXPECT_EQ(lease.record().holder_identity, "other");
}

TEST_F(LeaderElectorTest, Issue37_10_AStorageThatWasRestoredEndsTheLeaderBeforeItWrites) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  const FakeLease::Copy copy = lease.copy();
  ASSERT_TRUE(eventually([&] { return lease.updates() > 5; }));
  lease.restore(copy);
  ASSERT_TRUE(elector.await_restored());
  EXPECT_FALSE(elector->leading()) << "nothing is written on what it read before";
  EXPECT_EQ(lease.copy().version, copy.version) << "nor is the Lease";
}

// The copy is older than the Lease: its new one has an older version than that had.
TEST_F(LeaderElectorTest, Issue37_10_ACopyWithoutTheLeaseToo) {
  const FakeLease::Copy copy = lease.copy();
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  ASSERT_TRUE(eventually([&] { return lease.updates() > 5; }));
  lease.restore(copy);
  ASSERT_TRUE(elector.await_restored());
  EXPECT_FALSE(elector->leading());
}

TEST_F(LeaderElectorTest, ALeaseThatIsDeletedAndMadeAgainIsNoRestore) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  lease.remove();
  ASSERT_TRUE(eventually([&] { return lease.exists(); }));
  const int updates = lease.updates();
  ASSERT_TRUE(eventually([&] { return lease.updates() > updates + 3; }));
  EXPECT_EQ(elector.why_restored(), "");
  EXPECT_TRUE(elector->leading());
}

TEST_F(LeaderElectorTest, AProcessStoppedPastTheDeadlineWakesUpWithoutTheLease) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  clock.advance(seconds(60));
  EXPECT_FALSE(elector->leading());
  ASSERT_TRUE(elector.await_lost());
}

TEST_F(LeaderElectorTest, AStaleHeartbeatStopsTheRenewalUntilTheLeaseIsLost) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  elector.heartbeat_age = milliseconds(10'000);
  const int asked = elector.heartbeats_asked;
  // The second question comes after whatever the first one of them had permitted.
  ASSERT_TRUE(eventually([&] { return elector.heartbeats_asked > asked + 1; }));
  const int renewed = lease.updates();
  clock.advance(seconds(10));
  ASSERT_TRUE(elector.await_lost());
  EXPECT_EQ(lease.updates(), renewed);
  EXPECT_NE(elector.why_lost().find("loop"), std::string::npos);
}

TEST_F(LeaderElectorTest, AStallThatIsForgivenCostsNothing) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  elector.forgiven = true;
  elector.heartbeat_age = seconds(30);
  const int before = lease.updates();
  ASSERT_TRUE(eventually([&] { return lease.updates() > before + 3; }));
  EXPECT_TRUE(elector->leading());
}

TEST_F(LeaderElectorTest, TRAP_2_AWallClockThatIsSteppedChangesNothing) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  for (const auto step : {std::chrono::hours(1), std::chrono::hours(-2)}) {
    clock.step_wall(step);
    EXPECT_TRUE(elector->leading());
    const int before = lease.updates();
    ASSERT_TRUE(eventually([&] { return lease.updates() > before + 3; }));
    EXPECT_TRUE(elector->leading());
    EXPECT_TRUE(elector->health().ok());
  }
  EXPECT_EQ(elector.why_lost(), "");
  elector.release();
  EXPECT_EQ(lease.record().holder_identity, "");
}

TEST_F(LeaderElectorTest, HOST_117_ReleaseLetsTheNextOneInAtOnce) {
  Elector first(lease, clock, "a");
  ASSERT_TRUE(first.await_leading());
  Elector second(lease, clock, "b");
  ASSERT_TRUE(second.await_holder("a"));
  first.release();
  EXPECT_FALSE(first->leading());
  ASSERT_TRUE(second.await_leading()) << "no clock moved: nobody waited for an expiry";
  EXPECT_EQ(second.transitions(), 1);
}

TEST_F(LeaderElectorTest, ReleaseOverwritesNoSuccessor) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  lease.fault = [this](const std::string& verb) {
    if (verb == "update" && lease.record().holder_identity == "a") lease.set(held_by("other"));
    return Status();
  };
  elector.release();
  EXPECT_EQ(lease.record().holder_identity, "other");
}

TEST_F(LeaderElectorTest, ReleaseOfAStandbyWritesNothing) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_holder("other"));
  elector.release();
  EXPECT_EQ(lease.updates(), 0);
  EXPECT_EQ(lease.record().holder_identity, "other");
}

TEST_F(LeaderElectorTest, ReleaseCutsOffARenewalWithoutAnAnswer) {
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  lease.hang("update");
  ASSERT_TRUE(eventually([&] { return lease.hung() > 0; }));
  std::atomic<int> conflicts = 0;
  lease.fault = [&](const std::string& verb) {
    if (verb == "get") lease.hang("");
    if (verb != "update" || conflicts++ > 0) return Status();
    return Status(Code::aborted, ErrorClass::conflict, "the cut-off renewal came first");
  };
  elector.release();
  EXPECT_EQ(conflicts, 2);
  EXPECT_EQ(lease.record().holder_identity, "");
}

TEST_F(LeaderElectorTest, AStandbyEndsAtOnceWhileTheApiServerHangs) {
  lease.hang("get");
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(eventually([&] { return lease.hung() > 0; }));
  elector.release();
  EXPECT_FALSE(lease.exists());
}

TEST_F(LeaderElectorTest, AnEndWithoutReleaseKeepsTheLease) {
  {
    Elector elector(lease, clock, "a");
    ASSERT_TRUE(elector.await_leading());
  }
  EXPECT_EQ(lease.record().holder_identity, "a");
}

TEST_F(LeaderElectorTest, AnAnswerBehindTheDeadlineIsRenewedBeforeItCounts) {
  lease.fault = [this](const std::string& verb) {
    if (verb == "create") clock.advance(seconds(11));
    return Status();
  };
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  EXPECT_TRUE(elector->leading());
  EXPECT_GE(lease.updates(), 1);
}

TEST_F(LeaderElectorTest, AHostWhoseLoopHangsDoesNotTakeTheLease) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_holder("other"));
  elector.heartbeat_age = milliseconds(10'000);
  const int asked = elector.heartbeats_asked;
  ASSERT_TRUE(eventually([&] { return elector.heartbeats_asked > asked + 1; }));
  clock.advance(seconds(20));
  const int later = elector.heartbeats_asked;
  ASSERT_TRUE(eventually([&] { return elector.heartbeats_asked > later + 3; }));
  EXPECT_EQ(lease.updates(), 0);
  elector.heartbeat_age = milliseconds(0);
  EXPECT_TRUE(elector.await_leading());
}

TEST_F(LeaderElectorTest, HOST_96_HealthFailsOnlyLongAfterTheLastRenewal) {
  std::atomic<bool> away = false;
  lease.fault = [&](const std::string&) {
    return away ? Status(Code::unavailable, "away") : Status();
  };
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(elector.await_leading());
  EXPECT_TRUE(elector->health().ok());
  away = true;
  clock.advance(seconds(10));
  ASSERT_TRUE(elector.await_lost());
  EXPECT_TRUE(elector->health().ok()) << "it knows that it no longer leads";
}

TEST(ElectionOptionsTest, HOST_108_IdentityIsHostNameAndUuid) {
  const auto first = new_identity();
  const auto second = new_identity();
  ASSERT_TRUE(first.ok());
  EXPECT_NE(*first, *second);
  const std::string uuid = first->substr(first->rfind('_') + 1);
  ASSERT_EQ(uuid.size(), 36u) << *first;
  EXPECT_EQ(uuid[14], '4');
}

TEST(ElectionOptionsTest, HOST_109_OneTryTakesHalfTheRenewDeadline) {
  ElectionOptions options;
  EXPECT_EQ(request_timeout(options), seconds(5));
  options.renew_deadline = milliseconds(100);
  EXPECT_EQ(request_timeout(options), seconds(1));
}

}  // namespace
}  // namespace ccm::election

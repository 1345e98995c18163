// How a candidate waits for a Lease that another holds.
#include "elector_fixture.hpp"

#include <gtest/gtest.h>

namespace ccm::election {
namespace {

// No poll happens within a test's time: what happens comes from the watch or from an expiry.
constexpr milliseconds kNoPolls = std::chrono::hours(1);

class StandbyTest : public ::testing::Test {
 protected:
  static LeaseRecord renewed(int number) {
    LeaseRecord record = held_by("other");
    record.renew_time = "t" + std::to_string(number);
    return record;
  }

  FakeLease lease;
  ManualClock clock;
};

TEST_F(StandbyTest, TakesAReleasedLeaseWhenTheWatchTells) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a", kNoPolls);
  ASSERT_TRUE(elector.await_holder("other"));
  ASSERT_TRUE(eventually([&] { return lease.watches() > 0; }));
  lease.set(held_by(""));
  ASSERT_TRUE(elector.await_leading());
  EXPECT_EQ(lease.reads(), 1) << "the event holds all that the write needs";
  EXPECT_EQ(elector.transitions(), 8);
}

TEST_F(StandbyTest, CreatesALeaseThatIsDeleted) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a", kNoPolls);
  ASSERT_TRUE(eventually([&] { return lease.watches() > 0; }));
  lease.remove();
  ASSERT_TRUE(elector.await_leading());
  EXPECT_EQ(elector.transitions(), 0);
}

TEST_F(StandbyTest, HOST_112c_WakesUpWhenTheHoldersTimeIsOver) {
  const SystemClock real;
  lease.set(held_by("other"));
  Elector elector(lease, real, "a", kNoPolls, nullptr, seconds(1));
  ASSERT_TRUE(elector.await_holder("other"));
  const auto seen = BootClock::now();
  ASSERT_TRUE(elector.await_leading());
  const auto waited = BootClock::now() - seen;
  EXPECT_GE(waited, milliseconds(900)) << "not before";
  EXPECT_LT(waited, seconds(5));
}

// API-141: the watch from a version of the future tells nothing; the next read shows the older one.
TEST_F(StandbyTest, Issue37_10_AStorageThatWasRestoredEndsAStandby) {
  lease.set(renewed(0));
  const FakeLease::Copy copy = lease.copy();
  for (int number = 1; number < 50; ++number) lease.set(renewed(number));
  Elector elector(lease, clock, "a", milliseconds(20));
  ASSERT_TRUE(elector.await_holder("other"));
  ASSERT_TRUE(eventually([&] { return lease.watches() > 0; }));
  lease.restore(copy);
  ASSERT_TRUE(elector.await_restored());
  EXPECT_EQ(elector.why_restored(), "the Lease has resourceVersion 1 after 50");
  clock.advance(seconds(60));
  const int reads = lease.reads();
  ASSERT_TRUE(eventually([&] { return lease.reads() > reads + 3; }));
  EXPECT_FALSE(elector.started()) << "it takes no Lease any more";
}

TEST_F(StandbyTest, ARenewalThatTheWatchTellsOfMovesTheExpiry) {
  const SystemClock real;
  LeaseRecord record = held_by("other");
  lease.set(record);
  Elector elector(lease, real, "a", kNoPolls, nullptr, seconds(1));
  ASSERT_TRUE(elector.await_holder("other"));
  const auto begin = BootClock::now();
  std::this_thread::sleep_for(milliseconds(600));  // the holder's rhythm, not a wait for something
  record.renew_time = "later";
  lease.set(record);
  ASSERT_TRUE(elector.await_leading());
  EXPECT_GE(BootClock::now() - begin, milliseconds(1'500));
}

TEST_F(StandbyTest, AHolderThatRenewsIsHardlyEverAskedFor) {
  lease.set(renewed(0));
  Elector elector(lease, clock, "a", milliseconds(200));
  ASSERT_TRUE(elector.await_holder("other"));
  const auto end = BootClock::now() + seconds(2);
  for (int number = 1; BootClock::now() < end; ++number) {
    lease.set(renewed(number));
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_LE(lease.reads(), 2) << "its polls alone would be five to ten";
}

TEST_F(StandbyTest, APollFindsWhatADeadWatchDoesNotTell) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(eventually([&] { return lease.watches() > 0; }));
  lease.hang("watch");
  lease.set(held_by(""));
  EXPECT_TRUE(elector.await_leading());
}

TEST_F(StandbyTest, API_65_AForbiddenWatchLeavesThePollsAndIsHardlyEverTriedAgain) {
  lease.set(held_by("other"));
  lease.fault = [](const std::string& verb) {
    return verb == "watch" ? Status(Code::permission_denied, ErrorClass::auth, "leases: forbidden")
                           : Status();
  };
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(eventually([&] { return lease.reads() > 20; }));
  EXPECT_EQ(lease.watches(), 1);
  clock.advance(std::chrono::minutes(6));
  ASSERT_TRUE(elector.await_leading()) << "six minutes are an expiry too";
}

TEST_F(StandbyTest, API_27_AVersionTooOldToWatchIsReadAgain) {
  lease.set(held_by("other"));
  std::atomic<int> expired = 0;
  lease.fault = [&](const std::string& verb) {
    if (verb != "watch" || expired++ > 0) return Status();
    return Status(Code::out_of_range, "too old resource version");
  };
  Elector elector(lease, clock, "a", seconds(2));
  ASSERT_TRUE(eventually([&] { return lease.watches() > 1; }));
  EXPECT_EQ(lease.reads(), 2);
  lease.set(held_by(""));
  EXPECT_TRUE(elector.await_leading());
}

TEST_F(StandbyTest, AWatchThatBreaksAtOnceIsTriedLessAndLess) {
  lease.set(held_by("other"));
  lease.fault = [](const std::string& verb) {
    return verb == "watch" ? Status(Code::unavailable, "reset") : Status();
  };
  Elector elector(lease, clock, "a");
  ASSERT_TRUE(eventually([&] { return lease.reads() > 50; }));
  EXPECT_LE(lease.watches(), 3) << "no time has passed on its clock";
}

TEST_F(StandbyTest, AWatchThatEndsWithoutAnEventIsNoReasonToSpin) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a", milliseconds(20));
  ASSERT_TRUE(eventually([&] {
    lease.end_watches();
    return lease.reads() > 20;
  }));
  EXPECT_LE(lease.watches(), 3);
}

TEST_F(StandbyTest, AWatchThatEndsAfterEventsGoesOnWhereItWas) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a", kNoPolls);
  ASSERT_TRUE(eventually([&] { return lease.watches() > 0; }));
  LeaseRecord record = held_by("third");
  lease.set(record);
  ASSERT_TRUE(elector.await_holder("third"));
  lease.end_watches();
  ASSERT_TRUE(eventually([&] { return lease.watches() > 1; }));
  lease.set(held_by(""));
  ASSERT_TRUE(elector.await_leading());
  EXPECT_EQ(lease.reads(), 1);
}

TEST_F(StandbyTest, ManyStandbysMakeOneLeaderAndFewRequests) {
  Elector leader(lease, clock, "leader", seconds(2));
  ASSERT_TRUE(leader.await_leading());
  std::vector<std::unique_ptr<Elector>> standbys;
  for (int i = 0; i < 5; ++i) {
    const std::string name = "standby-" + std::to_string(i);
    standbys.push_back(std::make_unique<Elector>(lease, clock, name, seconds(2)));
    ASSERT_TRUE(standbys.back()->await_holder("leader"));
  }
  ASSERT_TRUE(eventually([&] { return lease.watches() >= 5; }));
  const int updates = lease.updates();
  const int reads = lease.reads();
  leader.release();
  const auto leaders = [&] {
    int count = 0;
    for (auto& standby : standbys) count += (*standby)->leading() ? 1 : 0;
    return count;
  };
  ASSERT_TRUE(eventually([&] { return leaders() == 1; }));
  const std::string winner = lease.record().holder_identity;
  for (auto& standby : standbys) ASSERT_TRUE(standby->await_holder(winner));
  EXPECT_EQ(leaders(), 1);
  EXPECT_LE(lease.updates() - updates, 1 + 5 + 1) << "one try each";
  EXPECT_LE(lease.reads() - reads, 5);
}

TEST_F(StandbyTest, AnEndWhileItWatchesIsQuick) {
  lease.set(held_by("other"));
  Elector elector(lease, clock, "a", kNoPolls);
  ASSERT_TRUE(eventually([&] { return lease.watches() > 0; }));
  elector.release();
  EXPECT_EQ(lease.updates(), 0);
}

}  // namespace
}  // namespace ccm::election

#include "election/lease_rules.hpp"

#include <gtest/gtest.h>

namespace ccm::election {
namespace {

using std::chrono::seconds;
using TimePoint = BootClock::time_point;

Lease lease_held_by(const std::string& holder, const std::string& renew_time,
                    int64_t transitions = 0) {
  Lease lease;
  lease.record.holder_identity = holder;
  lease.record.lease_duration = seconds(15);
  lease.record.acquire_time = "2020-01-01T00:00:00.000000Z";
  lease.record.renew_time = renew_time;
  lease.record.lease_transitions = transitions;
  lease.resource_version = "1";
  return lease;
}

class CandidateTest : public ::testing::Test {
 protected:
  LeaseRules candidate{"me", seconds(15)};
  const TimePoint start{seconds(1000)};
  const std::chrono::system_clock::time_point wall{};
};

TEST_F(CandidateTest, TRAP_2_ExpiryCountsFromWhatWasSeenHereNotFromTheHoldersClock) {
  // The holder's clock is years behind; it is alive all the same.
  candidate.observe(lease_held_by("other", "1999-01-01T00:00:00.000000Z"), start);
  EXPECT_FALSE(candidate.may_take(start + seconds(14)));
  EXPECT_TRUE(candidate.may_take(start + seconds(15)));
}

TEST_F(CandidateTest, HOST_112c_AChangedRecordStartsTheTimeAnew) {
  candidate.observe(lease_held_by("other", "t1"), start);
  candidate.observe(lease_held_by("other", "t2"), start + seconds(10));
  EXPECT_FALSE(candidate.may_take(start + seconds(20)));
  EXPECT_TRUE(candidate.may_take(start + seconds(25)));
}

TEST_F(CandidateTest, HOST_112c_AnUnchangedRecordDoesNot) {
  candidate.observe(lease_held_by("other", "t1"), start);
  candidate.observe(lease_held_by("other", "t1"), start + seconds(10));
  EXPECT_TRUE(candidate.may_take(start + seconds(15)));
}

TEST_F(CandidateTest, ExpiryTellsAStandbyWhenToLookAgain) {
  EXPECT_EQ(candidate.expiry(), TimePoint());
  candidate.observe(lease_held_by("other", "t1"), start);
  EXPECT_EQ(candidate.expiry(), start + seconds(15));
}

// client-go takes the record's; whoever may write the Lease chooses that.
TEST_F(CandidateTest, Issue37_12_TheDurationIsThisProcesssAndNotTheRecords) {
  Lease shorter = lease_held_by("other", "t1");
  shorter.record.lease_duration = seconds(1);
  candidate.observe(shorter, start);
  EXPECT_FALSE(candidate.may_take(start + seconds(14))) << "a live leadership ends early";
  Lease longer = lease_held_by("other", "t2");
  longer.record.lease_duration = seconds(INT32_MAX);
  candidate.observe(longer, start + seconds(20));
  EXPECT_FALSE(candidate.may_take(start + seconds(34)));
  EXPECT_TRUE(candidate.may_take(start + seconds(35))) << "nobody may hold it for 68 years";
}

TEST_F(CandidateTest, Issue37_10_AnOlderVersionIsARestore) {
  Lease lease = lease_held_by("other", "t1");
  const auto seen = [&](const char* version) {
    lease.resource_version = version;
    candidate.observe(lease, start);
    return candidate.restored();
  };
  EXPECT_EQ(seen("99"), "");
  EXPECT_EQ(seen("100"), "");
  EXPECT_EQ(seen("100"), "");
  EXPECT_EQ(seen("abc"), "") << "no number";
  EXPECT_EQ(seen("0100"), "");
  EXPECT_EQ(seen("9"), "") << "nothing is known beside an odd one";
  EXPECT_EQ(seen("18446744073709551617"), "");
  EXPECT_EQ(seen("18446744073709551616"),
            "the Lease has resourceVersion 18446744073709551616 after 18446744073709551617");
}

TEST_F(CandidateTest, HOST_112d_AFreeLeaseIsTakenAtOnce) {
  candidate.observe(lease_held_by("", "t1"), start);
  EXPECT_TRUE(candidate.may_take(start));
  EXPECT_FALSE(candidate.holds());
}

TEST_F(CandidateTest, HOST_112e_RenewalKeepsAcquireTimeAndTransitions) {
  candidate.observe(lease_held_by("me", "t1", 4), start);
  const LeaseRecord claim = candidate.claim(wall);
  EXPECT_EQ(claim.acquire_time, "2020-01-01T00:00:00.000000Z");
  EXPECT_EQ(claim.lease_transitions, 4);
  EXPECT_EQ(claim.renew_time, "1970-01-01T00:00:00.000000Z");
}

TEST_F(CandidateTest, HOST_112e_TakeOverCountsATransition) {
  candidate.observe(lease_held_by("other", "t1", 4), start);
  const LeaseRecord claim = candidate.claim(wall);
  EXPECT_EQ(claim.holder_identity, "me");
  EXPECT_EQ(claim.lease_transitions, 5);
  EXPECT_EQ(claim.acquire_time, "1970-01-01T00:00:00.000000Z");
}

TEST_F(CandidateTest, HOST_112b_ANewLeaseHasNoTransitions) {
  EXPECT_EQ(candidate.claim(wall).lease_transitions, 0);
  EXPECT_TRUE(candidate.may_take(start));
}

TEST_F(CandidateTest, HOST_112a_RenewsUnreadOnlyWhileItsOwnRecordStands) {
  EXPECT_FALSE(candidate.may_renew_unread(start));
  candidate.observe(lease_held_by("me", "t1"), start);
  EXPECT_TRUE(candidate.may_renew_unread(start + seconds(14)));
  EXPECT_FALSE(candidate.may_renew_unread(start + seconds(15)));
  candidate.observe(lease_held_by("other", "t2"), start + seconds(16));
  EXPECT_FALSE(candidate.may_renew_unread(start + seconds(17)));
}

TEST_F(CandidateTest, HOST_117_ReleaseEmptiesTheHolderAndKeepsTransitions) {
  candidate.observe(lease_held_by("me", "t1", 4), start);
  const LeaseRecord release = candidate.release(wall);
  EXPECT_EQ(release.holder_identity, "");
  EXPECT_EQ(release.lease_duration, seconds(1));
  EXPECT_EQ(release.lease_transitions, 4);
  EXPECT_EQ(release.acquire_time, release.renew_time);
}

TEST_F(CandidateTest, ForgottenLeaseIsFree) {
  candidate.observe(lease_held_by("other", "t1"), start);
  candidate.forget();
  EXPECT_TRUE(candidate.may_take(start));
  EXPECT_EQ(candidate.holder(), "");
}

}  // namespace
}  // namespace ccm::election

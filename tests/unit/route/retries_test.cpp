#include "route/retries.hpp"

#include "route/listing_check.hpp"

#include <gtest/gtest.h>

namespace ccm::route {
namespace {

milliseconds seconds(int64_t count) { return milliseconds(count * 1'000); }

const Status kDown(Code::unavailable, ErrorClass::unavailable, "down");

TEST(Retries, TRAP_25_FailuresComeBackAfterLongerAndLongerPauses) {
  Retries retries;
  EXPECT_TRUE(retries.due("a", seconds(0)));
  EXPECT_EQ(retries.next(seconds(0)), std::nullopt);
  milliseconds now = seconds(0);
  for (const int64_t pause : {1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300}) {
    retries.failed("a", kDown, now);
    EXPECT_EQ(retries.next(now), seconds(pause));
    EXPECT_FALSE(retries.due("a", now + seconds(pause) - milliseconds(1)));
    now += seconds(pause);
    EXPECT_TRUE(retries.due("a", now));
  }
  retries.succeeded("a");
  EXPECT_EQ(retries.size(), 0U);
}

TEST(Retries, TheClassOfTheErrorDecidesThePause) {
  const auto pause = [](const Status& status) {
    Retries retries;
    retries.failed("a", status, seconds(0));
    return *retries.next(seconds(0));
  };
  EXPECT_EQ(pause(Status(Code::invalid_argument, ErrorClass::invalid_spec, "")), seconds(300));
  EXPECT_EQ(pause(Status(Code::permission_denied, ErrorClass::auth, "")), seconds(10));
  const Status held = Status(Code::failed_precondition, "").with_reason("DeletionBrakeEngaged");
  EXPECT_EQ(pause(held), seconds(60));
  EXPECT_EQ(pause(Status(held).with_retry_after(seconds(90))), seconds(90));
  EXPECT_EQ(
      pause(Status(Code::unavailable, ErrorClass::throttled, "").with_retry_after(seconds(7))),
      seconds(7));
}

TEST(Retries, TheEarliestCounts) {
  Retries retries;
  retries.failed("a", kDown, seconds(0));
  retries.failed("a", kDown, seconds(0));
  retries.failed("b", kDown, seconds(0));
  EXPECT_EQ(retries.next(seconds(0)), seconds(1));
  EXPECT_EQ(retries.next(seconds(9)), milliseconds(1));
}

TEST(Retries, WhatNobodyWantsAnyMoreIsForgotten) {
  Retries retries;
  retries.failed("a", kDown, seconds(0));
  retries.forget_old(seconds(60));
  EXPECT_EQ(retries.size(), 1U);
  retries.forget_old(seconds(61));
  EXPECT_EQ(retries.size(), 0U);
}

TEST(ListingCheck, AListingThatLacksMostIsSeenTwice) {
  ListingCheck check;
  EXPECT_FALSE(check.believe(10, 10, seconds(1)));
  EXPECT_FALSE(check.believe(10, 10, seconds(5)));
  EXPECT_TRUE(check.believe(10, 10, seconds(6)));
  EXPECT_TRUE(check.believe(10, 10, seconds(7)));
  EXPECT_TRUE(check.believe(10, 5, seconds(8)));
  EXPECT_FALSE(check.believe(10, 6, seconds(9)));
}

TEST(ListingCheck, AFewMayWellBeGone) {
  ListingCheck check;
  EXPECT_TRUE(check.believe(1, 1, seconds(0)));
  EXPECT_TRUE(check.believe(2, 2, seconds(0)));
  EXPECT_TRUE(check.believe(1'000, 500, seconds(0)));
  EXPECT_TRUE(check.believe(0, 0, seconds(0)));
}

}  // namespace
}  // namespace ccm::route

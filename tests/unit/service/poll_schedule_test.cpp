#include "service/poll_schedule.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ccm::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kStart{1'234'567};

TEST(PollSchedule, OneThatTakes90SecondsIsPolled24TimesAtMost) {
  int polls = 0;
  milliseconds now = kStart;
  while (now < kStart + seconds(90)) {
    now += until_next_poll(now, kStart);
    ++polls;
  }
  EXPECT_LE(polls, 24);
  EXPECT_LE(now, kStart + seconds(90 + 24));
}

TEST(PollSchedule, AQuickOneIsSeenWithinThreeQuartersOfASecond) {
  for (milliseconds now = kStart; now < kStart + seconds(3); now += milliseconds(77)) {
    const milliseconds pause = until_next_poll(now, kStart);
    EXPECT_GE(pause, milliseconds(250));
    EXPECT_LE(pause, milliseconds(750));
  }
}

TEST(PollSchedule, ThePauseIsNeverMoreThanHalfOfTheAgeNorThan24Seconds) {
  for (milliseconds age = seconds(3); age < seconds(900); age += milliseconds(333)) {
    const milliseconds pause = until_next_poll(kStart + age, kStart);
    EXPECT_LE(pause, age / 2) << age.count();
    EXPECT_LE(pause, seconds(24));
    EXPECT_GE(pause, milliseconds(250));
  }
}

TEST(PollSchedule, OfDifferentAgesTheyAreDueTogether) {
  std::set<milliseconds> polls;
  for (int i = 0; i < 50; ++i) {
    const milliseconds since = kStart + i * milliseconds(397);
    for (milliseconds now = since; now < since + seconds(90);) {
      now += until_next_poll(now, since);
      polls.insert(now);
    }
  }
  // The youngest one is created 20 s after the oldest one.
  EXPECT_LE(polls.size(), 24U + 40U);
}

}  // namespace
}  // namespace ccm::service

#include "api/times.hpp"

#include <gtest/gtest.h>

namespace sandbox {
namespace {

TEST(Times, API_11_BothFormsAreCanonical) {
  auto time = parse_time("2026-01-02T03:04:05.5+01:00");
  ASSERT_TRUE(time);
  EXPECT_EQ(format_time(*time), "2026-01-02T02:04:05Z");
  EXPECT_EQ(format_micro_time(*time), "2026-01-02T02:04:05.500000Z");
}

TEST(Times, OnlyRfc3339IsATime) {
  EXPECT_TRUE(parse_time("2024-02-29T00:00:00Z"));
  for (const char* text : {"", "2023-02-29T00:00:00Z", "2026-01-02", "2026-01-02T03:04:05",
                           "2026-01-02 03:04:05Z", "2026-13-02T03:04:05Z", "yesterday"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

TEST(Times, AgesReadAsKubectlShowsThem) {
  using std::chrono::seconds;
  EXPECT_EQ(format_age(seconds(5)), "5s");
  EXPECT_EQ(format_age(seconds(119)), "119s");
  EXPECT_EQ(format_age(seconds(125)), "2m5s");
  EXPECT_EQ(format_age(seconds(3600)), "60m");
  EXPECT_EQ(format_age(seconds(4 * 3600 + 120)), "4h2m");
  EXPECT_EQ(format_age(seconds(10 * 86400)), "10d");
}

}  // namespace
}  // namespace sandbox

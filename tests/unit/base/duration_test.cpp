#include "base/duration.hpp"

#include <gtest/gtest.h>

namespace ccm {
namespace {

using std::chrono::nanoseconds;

TEST(Duration, HOST_16_ReadsWhatGoReads) {
  const std::pair<const char*, int64_t> cases[] = {
      {"0", 0},
      {"0s", 0},
      {"5m0s", 300'000'000'000},
      {"1h", 3'600'000'000'000},
      {"12h0m0s", 43'200'000'000'000},
      {"300ms", 300'000'000},
      {"1.5s", 1'500'000'000},
      {".5s", 500'000'000},
      {"1.s", 1'000'000'000},
      {"+2s", 2'000'000'000},
      {"-1m30s", -90'000'000'000},
      {"1h1h", 7'200'000'000'000},
      {"7us", 7'000},
      {"7\u00b5s", 7'000},
      {"7\u03bcs", 7'000},
      {"3ns", 3},
      {"0.1000000000000000000000000000001h", 360'000'000'000},
      {"9223372036854775807ns", INT64_MAX},
      {"-9223372036854775808ns", INT64_MIN},
  };
  for (const auto& [text, expected] : cases) {
    const auto parsed = parse_duration(text);
    ASSERT_TRUE(parsed) << text;
    EXPECT_EQ(parsed->count(), expected) << text;
  }
}

TEST(Duration, RefusesWhatGoRefuses) {
  for (const char* text : {"", "5", "s", ".", ".s", "1d", "1 s", "-", "+", "1h-5m",
                           "9223372036854775808ns", "9999999999h", "1s1", "5M", "1e3s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Duration, IsWrittenAsGoWritesIt) {
  const std::pair<int64_t, const char*> cases[] = {
      {0, "0s"},
      {1, "1ns"},
      {1'100, "1.1\u00b5s"},
      {2'200'000, "2.2ms"},
      {3'300'000'000, "3.3s"},
      {10'000'000'000, "10s"},
      {300'000'000'000, "5m0s"},
      {43'200'000'000'000, "12h0m0s"},
      {245'001'000'000, "4m5.001s"},
      {-90'000'000'000, "-1m30s"},
      {INT64_MIN, "-2562047h47m16.854775808s"},
  };
  for (const auto& [value, expected] : cases) {
    EXPECT_EQ(format_duration(nanoseconds(value)), expected);
  }
}

TEST(Duration, Issue42_3_IsWrittenAsPeopleWriteIt) {
  using std::chrono::seconds;
  EXPECT_EQ(short_duration(seconds(0)), "0s");
  EXPECT_EQ(short_duration(seconds(-5)), "0s");
  EXPECT_EQ(short_duration(std::chrono::milliseconds(45'900)), "45s");
  EXPECT_EQ(short_duration(seconds(192)), "3m12s");
  EXPECT_EQ(short_duration(seconds(1'800)), "30m");
  EXPECT_EQ(short_duration(seconds(5'400)), "1h30m");
  EXPECT_EQ(short_duration(seconds(3'605)), "1h");
  EXPECT_EQ(short_duration(seconds(86'400 * 2 + 3 * 3'600 + 59)), "2d3h");
}

}  // namespace
}  // namespace ccm

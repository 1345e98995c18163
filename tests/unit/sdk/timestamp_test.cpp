#include <ccm/timestamp.hpp>

#include <gtest/gtest.h>

namespace ccm {
namespace {

TEST(Timestamp, HasOneForm) {
  EXPECT_EQ(parse_timestamp("1970-01-02T00:00:01Z"), std::chrono::milliseconds(86'401'000));
  for (const char* wrong :
       {"", "2026-01-01", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:-1Z", "2026-01-01T00:00:0xZ"}) {
    EXPECT_FALSE(parse_timestamp(wrong).has_value()) << wrong;
  }
}

TEST(Timestamp, TimesAreWrittenAsKubernetesDoes) {
  EXPECT_EQ(timestamp(std::chrono::milliseconds(0)), "1970-01-01T00:00:00Z");
  EXPECT_EQ(timestamp(std::chrono::milliseconds(1'700'000'000'999)), "2023-11-14T22:13:20Z");
}

}  // namespace
}  // namespace ccm

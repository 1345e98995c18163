#include <ccm/http_date.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace ccm {
namespace {

constexpr std::chrono::milliseconds kBillennium{1'000'000'000'000};

TEST(HttpDate, IsReadAndWritten) {
  EXPECT_EQ(parse_http_date("Sun, 09 Sep 2001 01:46:40 GMT"), kBillennium);
  EXPECT_EQ(http_date(kBillennium), "Sun, 09 Sep 2001 01:46:40 GMT");
  EXPECT_EQ(http_date(std::chrono::milliseconds(999)), "Thu, 01 Jan 1970 00:00:00 GMT");
  for (int64_t day = 0; day < 800; ++day) {
    const std::chrono::milliseconds time = kBillennium + day * std::chrono::hours(24);
    EXPECT_EQ(parse_http_date(http_date(time)), time);
  }
}

TEST(HttpDate, OtherFormsAreNone) {
  for (const char* text : {"", "2001-09-09T01:46:40Z", "Sunday, 09-Sep-01 01:46:40 GMT",
                           "Sun Sep  9 01:46:40 2001", "Sun, 09 Sep 2001 01:46:40 UTC",
                           "Sun, 09 Sep 2001 01:46:40 GMTx", "Sun, 31 Feb 2001 01:46:40 GMT",
                           "Sun, 09 Foo 2001 01:46:40 GMT", "Sun, -9 Sep 2001 01:46:40 GMT",
                           "Sun; 09 Sep 2001 01:46:40 GMT", "Sun, 09-Sep 2001 01:46:40 GMT"}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace ccm

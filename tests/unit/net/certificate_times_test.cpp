#include "net/certificates.hpp"
#include "test_certificates.hpp"

#include <gtest/gtest.h>

namespace ccm::net {
namespace {

using std::chrono::hours;
using std::chrono::system_clock;

std::string expiring_in(hours time) {
  test::CertificateRequest request;
  request.not_after = time;
  return test::issue(test::make_authority("authority"), request).certificate_pem;
}

void expect_near(system_clock::time_point time, system_clock::time_point wanted) {
  EXPECT_LT(std::chrono::abs(time - wanted), std::chrono::minutes(1));
}

TEST(CertificateTimes, OfTheFirstOfAText) {
  const auto now = system_clock::now();
  const auto times = times_of_first(expiring_in(hours(5)) + expiring_in(hours(9)));
  ASSERT_TRUE(times);
  expect_near(times->not_before, now - hours(1));
  expect_near(times->not_after, now + hours(5));
  EXPECT_FALSE(times_of_first(""));
  EXPECT_FALSE(times_of_first("no certificate"));
}

TEST(CertificateTimes, TheLastThatExpires) {
  const auto now = system_clock::now();
  const auto last =
      last_expiry(expiring_in(hours(5)) + expiring_in(hours(9)) + expiring_in(hours(7)));
  ASSERT_TRUE(last);
  expect_near(*last, now + hours(9));
  EXPECT_FALSE(last_expiry(""));
}

}  // namespace
}  // namespace ccm::net

#include "plugin/dispatch.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace ccm::plugin {
namespace {

using namespace std::chrono_literals;

std::chrono::milliseconds pause_of(ErrorClass error_class, std::chrono::milliseconds asked) {
  const Status given = Status(Code::unavailable, error_class, "no").with_retry_after(asked);
  const ccm_status raw = given.to_c();
  return checked_status(&raw).retry_after();
}

// Such as a `Retry-After` of a year that a provider hands on.
TEST(CheckedStatus, Issue37_ACloudThatAsksToWaitStopsNoObjectForLongerThanTenMinutes) {
  EXPECT_EQ(pause_of(ErrorClass::throttled, 24h * 365), 10min);
  EXPECT_EQ(pause_of(ErrorClass::unavailable, 1h), 10min);
  EXPECT_EQ(pause_of(ErrorClass::throttled, 30s), 30s);
  EXPECT_EQ(pause_of(ErrorClass::quota, 1h), 1h) << "the provider's own choice";
}

}  // namespace
}  // namespace ccm::plugin

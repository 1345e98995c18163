// Events about a Service: once each, and not without end.
#include <ccm/host.hpp>
#include <ccm/notices.hpp>
#include <ccm/testing/fake_host.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ccm {
namespace {

class NoticesTest : public ::testing::Test {
 protected:
  NoticesTest() {
    service_.uid = "u1";
    service_.object = host_.objects.make(R"({"metadata":{"name":"web","namespace":"shop"}})");
  }
  static std::vector<Problem> problems(int count) {
    std::vector<Problem> all;
    for (int i = 0; i < count; ++i) all.push_back({"Wrong", "fault " + std::to_string(i)});
    return all;
  }
  testing::FakeHost host_;
  Host sdk_{host_.abi()};
  Notices notices_{sdk_};
  LoadBalancerService service_;
};

TEST_F(NoticesTest, EachIsToldOnce) {
  notices_.tell(service_, problems(3));
  notices_.tell(service_, problems(4));
  EXPECT_EQ(host_.events.all().size(), 4U);
  notices_.forget(service_);
  notices_.tell(service_, problems(1));
  EXPECT_EQ(host_.events.all().size(), 5U);
}

TEST_F(NoticesTest, OneAnnotationWithThousandsOfFaultsIsAFewEvents) {
  for (int sync = 0; sync < 3; ++sync) notices_.tell(service_, problems(30'000));
  const auto told = host_.events.all();
  ASSERT_EQ(told.size(), 65U);
  EXPECT_EQ(told[63].message, "fault 63");
  EXPECT_EQ(told[64].reason, "Wrong");
  EXPECT_EQ(told[64].message, "Problems of this Service that are not told: 29936");
}

}  // namespace
}  // namespace ccm

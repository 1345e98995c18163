// Whether a Service asks for an address that its status shows.
#include <ccm/asked_address.hpp>
#include <ccm/testing/fake_objects.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

class AskedAddressTest : public ::testing::Test {
 protected:
  LoadBalancerService annotated(const std::string& annotations) {
    LoadBalancerService service;
    service.object = objects_.make(R"({"metadata":{"annotations":)" + annotations + "}}");
    return service;
  }

 private:
  testing::FakeObjects objects_;
};

TEST_F(AskedAddressTest, ByItsFieldOrAnyAnnotation) {
  LoadBalancerService service;
  EXPECT_FALSE(asks_for_address(service, "192.0.2.7"));
  service.requested_ip = "192.0.2.7";
  EXPECT_TRUE(asks_for_address(service, "192.0.2.7"));
  EXPECT_FALSE(asks_for_address(service, "192.0.2.8"));
  EXPECT_FALSE(asks_for_address(service, ""));
  const auto by_annotation = annotated(R"({"kube-vip.io/loadbalancerIPs":"10.0.0.1,192.0.2.7"})");
  EXPECT_TRUE(asks_for_address(by_annotation, "192.0.2.7"));
  EXPECT_FALSE(asks_for_address(by_annotation, "192.0.2.8"));
}

// Go's programs write an address in one form, whatever the user's was.
TEST_F(AskedAddressTest, InWhateverFormItIsAskedFor) {
  LoadBalancerService service;
  service.requested_ip = "2001:DB8:0:0::7";
  EXPECT_TRUE(asks_for_address(service, "2001:db8::7"));
  EXPECT_FALSE(asks_for_address(service, "2001:db8::8"));
  service.requested_ip = "::FFFF:192.0.2.7";
  EXPECT_TRUE(asks_for_address(service, "192.0.2.7"));
  EXPECT_FALSE(asks_for_address(service, "192.0.2.8"));
  for (const char* text : {"2001:DB8::7", "10.0.0.1, 2001:0db8::7", "[[2001:db8:0::7]:80]"}) {
    const auto by_annotation = annotated(R"({"a":")" + std::string(text) + "\"}");
    EXPECT_TRUE(asks_for_address(by_annotation, "2001:db8::7")) << text;
    EXPECT_FALSE(asks_for_address(by_annotation, "2001:db8::8")) << text;
  }
  const auto mapped = annotated(R"({"a":"::ffff:c000:207"})");
  EXPECT_TRUE(asks_for_address(mapped, "192.0.2.7"));
  EXPECT_FALSE(asks_for_address(mapped, "192.0.2.8"));
}

// The cost is bounded: nobody means 300 addresses.
TEST_F(AskedAddressTest, AmongVeryManyOthersItCountsAsAskedFor) {
  std::string others;
  for (int i = 0; i < 300; ++i) others += "fd00::" + std::to_string(i) + ",";
  EXPECT_TRUE(asks_for_address(annotated(R"({"a":")" + others + "\"}"), "2001:db8::7"));
  EXPECT_FALSE(
      asks_for_address(annotated(R"({"a":")" + others.substr(0, 600) + "\"}"), "2001:db8::7"));
}

TEST_F(AskedAddressTest, NotByWhatTheManagerWrote) {
  const auto service = annotated(R"({"vendor.example/address":"192.0.2.7"})");
  EXPECT_TRUE(asks_for_address(service, "192.0.2.7"));
  EXPECT_FALSE(asks_for_address(service, "192.0.2.7", "vendor.example/address"));
}

}  // namespace
}  // namespace ccm

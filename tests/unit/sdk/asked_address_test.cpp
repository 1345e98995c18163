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

TEST_F(AskedAddressTest, NotByWhatTheManagerWrote) {
  const auto service = annotated(R"({"vendor.example/address":"192.0.2.7"})");
  EXPECT_TRUE(asks_for_address(service, "192.0.2.7"));
  EXPECT_FALSE(asks_for_address(service, "192.0.2.7", "vendor.example/address"));
}

}  // namespace
}  // namespace ccm

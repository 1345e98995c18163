// The addresses that may reach a load balancer.
#include "service/source_ranges.hpp"

#include <gtest/gtest.h>

namespace ccm::service {
namespace {

constexpr const char* kAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";

std::string normal(std::string_view text) { return normalised_range(text).value_or("none"); }

TEST(SourceRangesTest, SVC_75_EachIsTheNetworkThatItLiesIn) {
  EXPECT_EQ(normal("10.1.2.3/8"), "10.0.0.0/8");
  EXPECT_EQ(normal(" 10.0.0.0/24 "), "10.0.0.0/24");
  EXPECT_EQ(normal("010.001.0.0/16"), "10.1.0.0/16");
  EXPECT_EQ(normal("10.1.2.255/25"), "10.1.2.128/25");
  EXPECT_EQ(normal("192.0.2.1/32"), "192.0.2.1/32");
  EXPECT_EQ(normal("1.2.3.4/0"), "0.0.0.0/0");
  EXPECT_EQ(normal("2001:DB8::1/32"), "2001:db8::/32");
  EXPECT_EQ(normal("fd00::ffff/121"), "fd00::ff80/121");
  EXPECT_EQ(normal("::/0"), "::/0");
}

TEST(SourceRangesTest, SVC_75_AllElseIsNone) {
  for (const char* wrong :
       {"", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", "10.0.0.0.0/8", "10.0.0.256/8", "10.0.0.0/",
        "10.0.0.0/-1", "10.0.0.0/8/8", "fd00::/129", "fd00:::/64", "a.b.c.d/8", "10.0.0.0 /8",
        "10..0.0/8", "99999999999.0.0.0/8"}) {
    EXPECT_EQ(normalised_range(wrong), std::nullopt) << wrong;
  }
}

TEST(SourceRangesTest, SVC_75_TheFieldComesBeforeTheAnnotation) {
  ServiceState service;
  EXPECT_TRUE(source_ranges(service)->empty());  // everybody
  service.annotations[kAnnotation] = " 10.0.0.0/8, 192.0.2.7/24,10.9.9.9/8 ";
  EXPECT_EQ(*source_ranges(service), (std::vector<std::string>{"10.0.0.0/8", "192.0.2.0/24"}));
  service.source_ranges = std::vector<std::string>();
  EXPECT_EQ(source_ranges(service)->size(), 2U);
  service.source_ranges->push_back("fd00::/8");
  EXPECT_EQ(*source_ranges(service), std::vector<std::string>{"fd00::/8"});
}

TEST(SourceRangesTest, SVC_75_AnEmptyAnnotationIsEverybody) {
  ServiceState service;
  service.annotations[kAnnotation] = "  ";
  EXPECT_TRUE(source_ranges(service)->empty());
}

TEST(SourceRangesTest, SVC_75_OneBadEntryIsAnErrorForAll) {
  ServiceState service;
  service.source_ranges = std::vector<std::string>{"10.0.0.0/8", "here"};
  const auto ranges = source_ranges(service);
  ASSERT_FALSE(ranges.ok());
  EXPECT_EQ(ranges.status().error_class(), ErrorClass::invalid_spec);
  EXPECT_NE(ranges.status().message().find("\"here\""), std::string::npos);
  EXPECT_NE(ranges.status().message().find("spec.loadBalancerSourceRanges"), std::string::npos);
  service.source_ranges.reset();
  service.annotations[kAnnotation] = "10.0.0.0/8,,10.0.0.0/9";
  EXPECT_NE(source_ranges(service).status().message().find(kAnnotation), std::string::npos);
}

}  // namespace
}  // namespace ccm::service

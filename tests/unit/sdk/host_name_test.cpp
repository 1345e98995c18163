#include <ccm/host_name.hpp>

#include <gtest/gtest.h>

#include <string>

namespace ccm {
namespace {

// As k8s.io/apimachinery's IsDNS1123Subdomain and the validation of a Service's status.
TEST(HostName, Issue37_12_IsWhatTheApiServerTakes) {
  for (const std::string& good :
       {std::string("a"), std::string("lb-1.example.com"), std::string("0x.1"),
        std::string("192.0.2.1.nip.io"), std::string("a--b.c"), std::string(253, 'a')}) {
    EXPECT_TRUE(is_host_name(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("Web.example.com"), std::string("a\nb"), std::string("a b"),
        std::string("a."), std::string(".a"), std::string("a..b"), std::string("-a"),
        std::string("a-"), std::string("a-.b"), std::string("a.-b"), std::string("a_b"),
        std::string("*.a"), std::string("\u00e4.de"), std::string("a\u202eb"),
        std::string("192.0.2.1"), std::string("::1"), std::string(254, 'a'),
        std::string("a\0b", 3)}) {
    EXPECT_FALSE(is_host_name(bad)) << bad;
  }
}

TEST(HostName, AddressesHaveNoZoneAndNothingBesides) {
  EXPECT_TRUE(is_ip_address("192.0.2.1"));
  EXPECT_TRUE(is_ip_address("2001:db8::1"));
  for (const char* bad :
       {"", "192.0.2.1 ", "192.0.2", "fe80::1%eth0", "[::1]", "192.0.2.1/32", "a"}) {
    EXPECT_FALSE(is_ip_address(bad)) << bad;
  }
  EXPECT_FALSE(is_ip_address(std::string_view("192.0.2.1\0x", 11)));
}

}  // namespace
}  // namespace ccm

#include "static/address.hpp"

#include "static/address_pool.hpp"

#include <gtest/gtest.h>

#include <set>

namespace ccm::static_provider {
namespace {

std::string ends_of(std::string_view text) {
  const auto range = parse_range(text);
  return range ? range->first.text() + " " + range->last.text() : "none";
}

TEST(StaticAddressTest, BothFamiliesInTheirUsualForm) {
  EXPECT_EQ(parse_address("192.0.2.1")->text(), "192.0.2.1");
  EXPECT_EQ(parse_address("2001:DB8:0:0::1")->text(), "2001:db8::1");
  for (const char* text : {"", "192.0.2", "192.0.2.01", "192.0.2.1 ", "2001:db8::1/64", "worker"}) {
    EXPECT_FALSE(parse_address(text)) << text;
  }
}

TEST(StaticAddressTest, TheFollowingOne) {
  EXPECT_EQ(parse_address("192.0.2.255")->next().text(), "192.0.3.0");
  EXPECT_EQ(parse_address("255.255.255.255")->next().text(), "0.0.0.0");
  EXPECT_EQ(parse_address("2001:db8::ffff")->next().text(), "2001:db8::1:0");
}

TEST(StaticAddressTest, RangesInThreeForms) {
  EXPECT_EQ(ends_of("192.0.2.17/28"), "192.0.2.16 192.0.2.31");
  EXPECT_EQ(ends_of("2001:db8::/120"), "2001:db8:: 2001:db8::ff");
  EXPECT_EQ(ends_of("::/0"), ":: ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
  EXPECT_EQ(ends_of("192.0.2.10-192.0.2.20"), "192.0.2.10 192.0.2.20");
  EXPECT_EQ(ends_of("192.0.2.10"), "192.0.2.10 192.0.2.10");
  for (const char* text :
       {"", "-", "192.0.2.20-192.0.2.10", "192.0.2.1-2001:db8::1", "192.0.2.0/33", "192.0.2.1-"}) {
    EXPECT_EQ(ends_of(text), "none") << text;
  }
}

TEST(StaticAddressTest, ThePoolGivesItsLowestFreeAddressOfAFamily) {
  const AddressPool pool{
      "p", {*parse_range("2001:db8::/64"), *parse_range("192.0.2.2-192.0.2.3")}, true};
  std::set<Address> given;
  const auto taken = [&](const Address& address) { return given.count(address) > 0; };
  for (const char* wanted : {"192.0.2.2", "192.0.2.3"}) {
    const auto address = pool.first_free(false, taken);
    ASSERT_TRUE(address);
    EXPECT_EQ(address->text(), wanted);
    given.insert(*address);
  }
  EXPECT_FALSE(pool.first_free(false, taken));
  EXPECT_EQ(pool.first_free(true, taken)->text(), "2001:db8::");
  given.erase(*parse_address("192.0.2.2"));
  EXPECT_EQ(pool.first_free(false, taken)->text(), "192.0.2.2");
}

// The last address there is has no next one.
TEST(StaticAddressTest, TheSearchEndsAtTheEndOfAllAddresses) {
  const AddressPool pool{"p", {*parse_range("255.255.255.254/31")}, true};
  int asked = 0;
  EXPECT_FALSE(pool.first_free(false, [&](const Address&) { return ++asked > 0; }));
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace ccm::static_provider

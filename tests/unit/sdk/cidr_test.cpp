#include <ccm/cidr.hpp>

#include <gtest/gtest.h>

#include <random>

namespace ccm {
namespace {

std::string round_trip(std::string_view text) {
  const auto cidr = parse_cidr(text);
  return cidr ? cidr->text() : "none";
}

TEST(Cidr, ReadsAndWrites) {
  EXPECT_EQ(round_trip("10.244.0.0/16"), "10.244.0.0/16");
  EXPECT_EQ(round_trip("10.244.3.7/24"), "10.244.3.0/24");
  EXPECT_EQ(round_trip("255.255.255.255/32"), "255.255.255.255/32");
  EXPECT_EQ(round_trip("1.2.3.4/0"), "0.0.0.0/0");
  EXPECT_EQ(round_trip("FD00:0:0:1::2/64"), "fd00:0:0:1::/64");
  EXPECT_EQ(round_trip("fd00::/48"), "fd00::/48");
  EXPECT_EQ(round_trip("::/0"), "::/0");
}

TEST(Cidr, ROUTE_2_LeadingZerosAreDecimalAndSpacesAreFaults) {
  EXPECT_EQ(round_trip("010.008.000.000/8"), "10.0.0.0/8");
  for (const char* text :
       {"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", " 10.0.0.0/8", "10.0.0.0/8 ", "10.0.0/8",
        "10.0.0.0.0/8", "10.0.0.256/8", "10..0.0/8", "fd00::/129", "fd00::/-1", "fd00:::/48",
        "fd00::%eth0/64", "x/8", "10.0.0.0/+8", "10.0.0.0/8/8", "-1.0.0.0/8"}) {
    EXPECT_EQ(round_trip(text), "none") << text;
  }
}

TEST(Cidr, ContainmentAndOverlap) {
  const auto cidr = [](const char* text) { return *parse_cidr(text); };
  EXPECT_TRUE(cidr("10.0.0.0/8").contains(cidr("10.1.0.0/16")));
  EXPECT_FALSE(cidr("10.1.0.0/16").contains(cidr("10.0.0.0/8")));
  EXPECT_TRUE(cidr("10.1.0.0/16").overlaps(cidr("10.0.0.0/8")));
  EXPECT_TRUE(cidr("10.0.0.0/8").overlaps(cidr("10.0.0.0/8")));
  EXPECT_FALSE(cidr("10.0.0.0/12").overlaps(cidr("10.16.0.0/12")));
  EXPECT_TRUE(cidr("0.0.0.0/0").contains(cidr("192.168.0.0/16")));
  EXPECT_FALSE(cidr("::/0").overlaps(cidr("192.168.0.0/16")));
}

TEST(Cidr, AnAddressIsARangeOfOne) {
  EXPECT_EQ(parse_address("10.0.0.7")->text(), "10.0.0.7/32");
  EXPECT_EQ(parse_address("fd00:0::7"), parse_address("FD00::0007"));
  EXPECT_TRUE(parse_cidr("10.0.0.0/24")->contains(*parse_address("10.0.0.7")));
  for (const char* no : {"", "10.0.0.0/24", "host", "10.0.0", " 10.0.0.7", "::1%eth0"}) {
    EXPECT_FALSE(parse_address(no)) << no;
  }
}

TEST(Cidr, ROUTE_2_TheWholeTextIsTrimmedNotItsItems) {
  using Items = std::vector<std::string>;
  EXPECT_EQ(split_cidrs(" 10.0.0.0/8,fd00::/48\n"), (Items{"10.0.0.0/8", "fd00::/48"}));
  EXPECT_EQ(split_cidrs("10.0.0.0/8, fd00::/48"), (Items{"10.0.0.0/8", " fd00::/48"}));
  EXPECT_EQ(split_cidrs("10.0.0.0/8,"), (Items{"10.0.0.0/8", ""}));
  EXPECT_TRUE(split_cidrs(" \t").empty());
  EXPECT_TRUE(split_cidrs("").empty());
}

TEST(Cidr, ContainingRangesSortBeforeTheirParts) {
  const auto cidr = [](const char* text) { return *parse_cidr(text); };
  EXPECT_LT(cidr("10.0.0.0/8"), cidr("10.0.0.0/16"));
  EXPECT_LT(cidr("10.0.255.0/24"), cidr("10.1.0.0/16"));
  EXPECT_LT(cidr("255.0.0.0/8"), cidr("::/0"));
}

TEST(Cidr, BitFieldsAreWhatWasSet) {
  std::mt19937 random(7);
  for (int round = 0; round < 2'000; ++round) {
    AddressBytes bytes{};
    for (auto& byte : bytes) byte = static_cast<uint8_t>(random());
    const unsigned first = random() % 128;
    const unsigned last = first + random() % (std::min(128U - first, 31U) + 1);
    const uint32_t number = random() & ((uint64_t{1} << (last - first)) - 1);
    const AddressBytes before = bytes;
    set_bit_field(bytes, first, last, number);
    EXPECT_EQ(bit_field(bytes, first, last), number);
    for (unsigned bit = 0; bit < 128; ++bit) {
      if (bit >= first && bit < last) continue;
      EXPECT_EQ(bit_field(bytes, bit, bit + 1), bit_field(before, bit, bit + 1));
    }
  }
}

}  // namespace
}  // namespace ccm

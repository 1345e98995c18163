#include "app/flags/go_values.hpp"

#include <gtest/gtest.h>

namespace ccm::app {
namespace {

using Strings = std::vector<std::string>;

TEST(GoValues, HOST_1_Booleans) {
  for (const char* yes : {"1", "t", "T", "TRUE", "true", "True"}) EXPECT_EQ(parse_bool(yes), true);
  for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) {
    EXPECT_EQ(parse_bool(no), false);
  }
  for (const char* bad : {"", "yes", "on", "tRUE", "2", " true"}) EXPECT_FALSE(parse_bool(bad));
}

TEST(GoValues, IntegersOfAllBases) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-5"), -5);
  EXPECT_EQ(parse_integer("+5"), 5);
  EXPECT_EQ(parse_integer("0x1F"), 31);
  EXPECT_EQ(parse_integer("-0x10"), -16);
  EXPECT_EQ(parse_integer("0b101"), 5);
  EXPECT_EQ(parse_integer("0o17"), 15);
  EXPECT_EQ(parse_integer("017"), 15);
  EXPECT_EQ(parse_integer("0x_ff"), 255);
  EXPECT_EQ(parse_integer("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(parse_integer("-9223372036854775808"), INT64_MIN);
  for (const char* bad : {"", "-", "x", "1.5", "1e3", "0x", "08", "1_000", "9223372036854775808",
                          "--5", "+-5", " 5", "5s"}) {
    EXPECT_FALSE(parse_integer(bad)) << bad;
  }
}

TEST(GoValues, Floats) {
  EXPECT_EQ(parse_float("20"), 20.0F);
  EXPECT_EQ(parse_float("-1"), -1.0F);
  EXPECT_EQ(parse_float("1e3"), 1000.0F);
  for (const char* bad : {"", "x", "1,5", "1 ", "nan", "inf", "-Inf", "1e39"}) {
    EXPECT_FALSE(parse_float(bad)) << bad;
  }
}

TEST(GoValues, HOST_3_CsvWithQuotes) {
  EXPECT_EQ(parse_csv(""), Strings());
  EXPECT_EQ(parse_csv("a"), Strings({"a"}));
  EXPECT_EQ(parse_csv("a,,b,"), Strings({"a", "", "b", ""}));
  EXPECT_EQ(parse_csv(R"("a,b",c)"), Strings({"a,b", "c"}));
  EXPECT_EQ(parse_csv(R"("say ""hi""")"), Strings({R"(say "hi")"}));
  for (const char* bad : {R"("a)", R"(a"b)", R"("a"b)"}) EXPECT_FALSE(parse_csv(bad)) << bad;
}

TEST(GoValues, CsvIsReadBackAsItWasWritten) {
  const Strings cases[] = {{}, {"a"}, {"a", "", "b"}, {"a,b", "say \"hi\""}, {"", ""}};
  for (const Strings& fields : cases) EXPECT_EQ(parse_csv(format_csv(fields)), fields);
}

TEST(GoValues, ROUTE_2_AddressRanges) {
  const auto v4 = parse_cidr("10.244.0.0/16");
  ASSERT_TRUE(v4);
  EXPECT_FALSE(v4->ipv6);
  EXPECT_EQ(v4->prefix, 16U);
  EXPECT_TRUE(parse_cidr("010.000.001.0/24"));
  const auto v6 = parse_cidr("fd00:1::/48");
  ASSERT_TRUE(v6);
  EXPECT_TRUE(v6->ipv6);
  for (const char* bad : {"", "10.0.0.0", "10.0.0.0/33", "10.0.0/8", " 10.0.0.0/8", "fd00::/129",
                          "10.0.0.0/", "10.0.0.0/8x", "10.0.0.256/8", "/8"}) {
    EXPECT_FALSE(parse_cidr(bad)) << bad;
  }
}

TEST(GoValues, Addresses) {
  EXPECT_TRUE(is_ip_address("0.0.0.0"));
  EXPECT_TRUE(is_ip_address("::"));
  EXPECT_FALSE(is_ip_address("localhost"));
  EXPECT_FALSE(is_ip_address(""));
}

}  // namespace
}  // namespace ccm::app

#include "app/flags/flag_value.hpp"

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

TEST(GoValues, Addresses) {
  EXPECT_TRUE(is_ip_address("0.0.0.0"));
  EXPECT_TRUE(is_ip_address("::"));
  EXPECT_FALSE(is_ip_address("localhost"));
  EXPECT_FALSE(is_ip_address(""));
}

TEST(GoValues, HOST_73_Quantities) {
  for (const char* good : {"0", "64Ki", "1.5Gi", ".5", "5.", "+1M", "-3k", "1e3", "2E-6", "1E"}) {
    EXPECT_TRUE(is_quantity(good)) << good;
  }
  for (const char* bad : {"", "abc", "1 Ki", "1KiB", "e3", "1e", ".", "1..2", "0x10", "--1"}) {
    EXPECT_FALSE(is_quantity(bad)) << bad;
  }
}

}  // namespace
}  // namespace ccm::app
